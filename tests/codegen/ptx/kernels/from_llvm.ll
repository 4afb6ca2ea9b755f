; Kernels in LLVM IR; compile.sh makes PTX of them with llc.
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x float] poison, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare <4 x half> @llvm.fma.v4f16(<4 x half>, <4 x half>, <4 x half>)
declare i32 @llvm.ctpop.i32(i32)

; out[i] = x[i] * y[i] + z[i], four halves at a time.
define ptx_kernel void @llvm_fma_halves(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %out) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr <4 x half>, ptr addrspace(1) %x, i32 %i
  %py = getelementptr <4 x half>, ptr addrspace(1) %y, i32 %i
  %po = getelementptr <4 x half>, ptr addrspace(1) %out, i32 %i
  %a = load <4 x half>, ptr addrspace(1) %px, align 8
  %b = load <4 x half>, ptr addrspace(1) %py, align 8
  %c = call <4 x half> @llvm.fma.v4f16(<4 x half> %a, <4 x half> %b, <4 x half> %b)
  store <4 x half> %c, ptr addrspace(1) %po, align 8
  ret void
}

; Each block of 256 reverses its part.
define ptx_kernel void @llvm_reverse(ptr addrspace(1) %x, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = mul i32 %b, 256
  %i = add i32 %start, %t
  %px = getelementptr float, ptr addrspace(1) %x, i32 %i
  %v = load float, ptr addrspace(1) %px
  %ps = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float %v, ptr addrspace(3) %ps
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = sub i32 255, %t
  %pr = getelementptr float, ptr addrspace(3) @tile, i32 %r
  %w = load float, ptr addrspace(3) %pr
  %po = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %w, ptr addrspace(1) %po
  ret void
}

; The bits of each 32 numbers, counted.
define ptx_kernel void @llvm_count_bits(ptr addrspace(1) %x, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr i32, ptr addrspace(1) %x, i32 %t
  %v = load i32, ptr addrspace(1) %px
  %n = call i32 @llvm.ctpop.i32(i32 %v)
  br label %loop
loop:
  %k = phi i32 [ 16, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %n, %entry ], [ %more, %loop ]
  %other = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %sum, i32 %k, i32 31)
  %more = add i32 %sum, %other
  %next = lshr i32 %k, 1
  %is_done = icmp eq i32 %next, 0
  br i1 %is_done, label %end, label %loop
end:
  %lane = and i32 %t, 31
  %is_first = icmp eq i32 %lane, 0
  br i1 %is_first, label %write, label %exit
write:
  %warp = lshr i32 %t, 5
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %warp
  store i32 %more, ptr addrspace(1) %po
  br label %exit
exit:
  ret void
}

# Adds the opcode `zebra` to copies of the files that docs/design.md names in "To add an opcode", step by
# step: cmake -DSOURCE_DIR=... -DOUTPUT_DIR=... -P add_opcode.cmake

# Copies a file with a line added behind the only one that contains the text `after`.
function(add_line file after line)
  file(READ "${SOURCE_DIR}/${file}" text)
  string(REPLACE "${after}" "" without "${text}")
  string(LENGTH "${text}" length)
  string(LENGTH "${without}" length_without)
  string(LENGTH "${after}" length_of_after)
  math(EXPR found "(${length} - ${length_without}) / ${length_of_after}")
  if(NOT found EQUAL 1)
    message(FATAL_ERROR "${file} has '${after}' ${found} times, not once")
  endif()
  string(REPLACE "${after}" "${after}\n${line}" text "${text}")
  file(WRITE "${OUTPUT_DIR}/${file}" "${text}")
endfunction()

# The opcode.
add_line(hlo/opcodes.inc "HLO_OPCODE(kXor, \"xor\", 2, 2)"
  "HLO_OPCODE(kZebra, \"zebra\", 2, 2, AttributeName::kDimensions)")
# Its shape.
add_line(hlo/shape_inference/rule_table.h "bool Concatenate(ShapeContext& context);"
  "bool Zebra(ShapeContext& context);")
add_line(hlo/shape_inference/rule_table.cc "{Opcode::kXor, Binary}," "{Opcode::kZebra, Zebra},")
# Its value.
add_line(hlo/interpreter/opcode_table.h "bool Concatenate(Evaluation& e);" "bool Zebra(Evaluation& e);")
add_line(hlo/interpreter/opcode_table.cc "{Opcode::kXor, Elementwise, nullptr, kPartly},"
  "{Opcode::kZebra, Zebra, nullptr},")
# What it reads. No traits: the analysis assumes nothing.
add_line(indexing_analysis/rules/read_rules.h "void Concatenate(ReadContext& context);"
  "void Zebra(ReadContext& context);")
add_line(indexing_analysis/rules/rule_table.cc "{Opcode::kXor, Elementwise, kElementwise},"
  "{Opcode::kZebra, Zebra, {}},")

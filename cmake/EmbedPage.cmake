# Writes a C++ source with the bytes of the page of `hlo-indexing report`: cmake -D PAGE=FILE -D OUTPUT=FILE -P EmbedPage.cmake
file(READ "${PAGE}" hex HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
string(REGEX REPLACE "(('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',))" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"tools/report_page.h\"

namespace hlo_indexing::tools {
namespace {

constexpr char kPage[] = {
${bytes}};

}  // namespace

llvm::StringRef ReportPageText() { return {kPage, sizeof(kPage)}; }

}  // namespace hlo_indexing::tools
")

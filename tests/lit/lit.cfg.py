import os

import lit.formats

config.name = "hlo-indexing"
# The shell is the system's: the tests look at exit codes.
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(lit_config.params["build"], "tests", "lit")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(lit_config.params["build"], "bin"), lit_config.params["llvm"],
     config.environment["PATH"]])
config.substitutions.append(("%compiler", lit_config.params["compiler"]))
config.substitutions.append(("%driver", os.path.join(
    lit_config.params["build"], "tests", "codegen", "program", "libvirtual_cuda_driver.so")))
config.substitutions.append(("%inputs", os.path.join(os.path.dirname(__file__), "Inputs")))
# Sanitizers take more addresses than any limit of memory allows.
if lit_config.params.get("sanitize"):
    config.available_features.add("sanitizer")

# Run as a script: writes OUTPUT, a source that defines the text NAME, which HEADER declares, from the files of INPUTS, one
# after the other.
set(text "")
string(REPLACE "|" ";" inputs "${INPUTS}")
foreach(input IN LISTS inputs)
  file(READ "${input}" part)
  string(APPEND text "${part}\n")
endforeach()
string(FIND "${text}" ")embedded\"" end)
if(NOT end EQUAL -1)
  message(FATAL_ERROR "${INPUTS}: the text has the mark that would end it")
endif()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n
namespace bulkhead {
constexpr std::string_view ${NAME} = R\"embedded(${text})embedded\";
}\n")

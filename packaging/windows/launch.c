// `pithead.exe` as people call it: the version that is current, with the same words, streams and console.
#include "host.h"

/* The command line without its first word, as Windows takes it apart. */
static const wchar_t *wordsOf(const wchar_t *line) {
  BOOL isQuoted = FALSE;
  for (; *line != L'\0' && (isQuoted || (*line != L' ' && *line != L'\t')); line++)
    if (*line == L'"') isQuoted = !isQuoted;
  while (*line == L' ' || *line == L'\t') line++;
  return line;
}

/* The console tells both processes; the program decides what comes of it. */
static BOOL WINAPI leaveIt(DWORD event) { return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT; }

int launch(void) {
  wchar_t program[MAX_PATH];
  findFolders();
  if (!programOf(L"current", program)) {
    fwprintf(stderr, L"no version is installed in %ls\n", programFolder);
    return 1;
  }
  const wchar_t *words = wordsOf(GetCommandLineW());
  size_t size = wcslen(program) + wcslen(words) + 4;
  wchar_t *command = malloc(size * sizeof *command);
  if (command == NULL) return 1;
  _snwprintf(command, size, L"\"%ls\" %ls", program, words);
  SetConsoleCtrlHandler(leaveIt, TRUE);
  STARTUPINFOW start;
  PROCESS_INFORMATION started;
  GetStartupInfoW(&start);
  DWORD code = 1;
  /* Whoever ends this process means the program. */
  AssignProcessToJobObject(endingWithUs(), GetCurrentProcess());
  if (CreateProcessW(program, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &started)) {
    WaitForSingleObject(started.hProcess, INFINITE);
    GetExitCodeProcess(started.hProcess, &code);
  } else fwprintf(stderr, L"%ls cannot be started\n", program);
  free(command);
  return (int)code;
}

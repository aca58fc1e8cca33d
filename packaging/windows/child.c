// Folders, log and processes for the service host. It decides nothing.
#include "host.h"

#define LOG_LIMIT (20 * 1024 * 1024)
#define MAX_VERSION 64

wchar_t programFolder[MAX_PATH], dataFolder[MAX_PATH];

void findFolders(void) {
  GetModuleFileNameW(NULL, programFolder, MAX_PATH);
  wchar_t *end = wcsrchr(programFolder, L'\\');
  if (end != NULL) *end = L'\0';
  DWORD length = GetEnvironmentVariableW(L"ProgramData", dataFolder, MAX_PATH);
  if (length == 0 || length > MAX_PATH - 10) wcscpy(dataFolder, L"C:\\ProgramData");
  wcscat(dataFolder, L"\\Pithead");
}

BOOL programOf(const wchar_t *pointer, wchar_t *path) {
  wchar_t place[MAX_PATH];
  char version[MAX_VERSION + 1];
  DWORD length = 0;
  _snwprintf(place, MAX_PATH, L"%ls\\%ls", programFolder, pointer);
  HANDLE file = CreateFileW(place, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return FALSE;
  BOOL isRead = ReadFile(file, version, MAX_VERSION, &length, NULL);
  CloseHandle(file);
  if (!isRead) return FALSE;
  version[length] = '\0';
  size_t end = strspn(version, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-");
  version[end] = '\0';
  // The name of a folder beside the others, nothing that leads out of them.
  if (end == 0 || version[0] < '0' || version[0] > '9') return FALSE;
  return _snwprintf(path, MAX_PATH, L"%ls\\versions\\%hs\\pithead.exe", programFolder, version) > 0;
}

BOOL isThere(const wchar_t *name) {
  wchar_t path[MAX_PATH];
  _snwprintf(path, MAX_PATH, L"%ls\\%ls", dataFolder, name);
  return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

static void logPath(const wchar_t *name, wchar_t *path) { _snwprintf(path, MAX_PATH, L"%ls\\%ls", dataFolder, name); }

HANDLE openLog(void) {
  wchar_t path[MAX_PATH];
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  logPath(L"pithead.log", path);
  DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return CreateFileW(path, FILE_APPEND_DATA, shared, &inherited, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
}

void trimLog(void) {
  wchar_t path[MAX_PATH], older[MAX_PATH];
  WIN32_FILE_ATTRIBUTE_DATA facts;
  logPath(L"pithead.log", path);
  logPath(L"pithead.1.log", older);
  if (!GetFileAttributesExW(path, GetFileExInfoStandard, &facts)) return;
  if (facts.nFileSizeHigh == 0 && facts.nFileSizeLow <= LOG_LIMIT) return;
  // Whoever writes keeps the file open and writes at its end: it is copied and emptied, not renamed.
  CopyFileW(path, older, FALSE);
  DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  HANDLE file = CreateFileW(path, GENERIC_WRITE, shared, NULL, TRUNCATE_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
}

HANDLE endingWithUs(void) {
  HANDLE job = CreateJobObjectW(NULL, NULL);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

BOOL startChild(Child *child, const wchar_t *program, const wchar_t *words, BOOL talks) {
  wchar_t command[3 * MAX_PATH];
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  HANDLE itsInput = NULL, itsOutput = NULL;
  PROCESS_INFORMATION started;
  memset(child, 0, sizeof *child);
  HANDLE log = openLog();
  _snwprintf(command, 3 * MAX_PATH, L"\"%ls\" %ls", program, words);
  BOOL isStarted = CreatePipe(&itsInput, &child->toIt, &inherited, 0) && (!talks || CreatePipe(&child->fromIt, &itsOutput, &inherited, 0));
  if (isStarted) {
    SetHandleInformation(child->toIt, HANDLE_FLAG_INHERIT, 0);
    if (talks) SetHandleInformation(child->fromIt, HANDLE_FLAG_INHERIT, 0);
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = itsInput, .hStdError = log};
    start.hStdOutput = talks ? itsOutput : log;
    child->job = endingWithUs();
    DWORD flags = CREATE_NO_WINDOW | CREATE_SUSPENDED;
    isStarted = CreateProcessW(program, command, NULL, NULL, TRUE, flags, NULL, dataFolder, &start, &started);
  }
  if (isStarted) {
    AssignProcessToJobObject(child->job, started.hProcess);
    ResumeThread(started.hThread);
    CloseHandle(started.hThread);
    child->process = started.hProcess;
    child->id = started.dwProcessId;
  }
  if (itsInput != NULL) CloseHandle(itsInput);
  if (itsOutput != NULL) CloseHandle(itsOutput);
  if (log != INVALID_HANDLE_VALUE) CloseHandle(log);
  if (!isStarted) forgetChild(child);
  return isStarted;
}

DWORD endChild(Child *child, DWORD patienceMs) {
  if (child->process == NULL) return 0;
  CloseHandle(child->toIt), child->toIt = NULL;
  if (WaitForSingleObject(child->process, patienceMs) != WAIT_OBJECT_0) {
    TerminateJobObject(child->job, 1);
    TerminateProcess(child->process, 1);
  }
  WaitForSingleObject(child->process, 2000);
  return forgetChild(child);
}

DWORD forgetChild(Child *child) {
  DWORD code = (DWORD)-1;
  if (child->process != NULL) GetExitCodeProcess(child->process, &code);
  HANDLE all[] = {child->process, child->toIt, child->fromIt, child->job};
  for (size_t index = 0; index < sizeof all / sizeof *all; index++)
    if (all[index] != NULL) CloseHandle(all[index]);
  memset(child, 0, sizeof *child);
  return code;
}

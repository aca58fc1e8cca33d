// The Windows service that runs pithead.exe: a program that is not a service cannot be started as one. It starts `pithead.exe run` beside itself, writes what
// it prints to a log file, asks it to stop by closing its standard input, ends it if it does not within 15 s, and starts it again when it dies,
// unless its exit code says that a restart would not help (2 and 78). It reads no configuration and opens no socket.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>

#define NAME L"pithead"
#define STOP_MS 15000
#define FIRST_PAUSE_MS 1000
#define LONGEST_PAUSE_MS 60000
/* A run of this length was a good one: the next pause is short again. */
#define GOOD_RUN_MS 600000
#define LOG_LIMIT (20 * 1024 * 1024)
#define EXIT_USAGE 2
#define EXIT_CONFIG 78

static SERVICE_STATUS_HANDLE statusHandle;
static SERVICE_STATUS status = {.dwServiceType = SERVICE_WIN32_OWN_PROCESS};
static HANDLE stopEvent;

static void tell(DWORD state, DWORD exitCode, DWORD hintMs) {
  status.dwCurrentState = state;
  status.dwControlsAccepted = state == SERVICE_RUNNING ? SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN : 0;
  status.dwWin32ExitCode = exitCode == 0 ? NO_ERROR : ERROR_SERVICE_SPECIFIC_ERROR;
  status.dwServiceSpecificExitCode = exitCode;
  status.dwWaitHint = hintMs;
  SetServiceStatus(statusHandle, &status);
}

static DWORD WINAPI onControl(DWORD control, DWORD type, void *data, void *context) {
  (void)type, (void)data, (void)context;
  switch (control) {
    case SERVICE_CONTROL_STOP:
    case SERVICE_CONTROL_SHUTDOWN:
      tell(SERVICE_STOP_PENDING, 0, STOP_MS + 2000);
      SetEvent(stopEvent);
      return NO_ERROR;
    case SERVICE_CONTROL_INTERROGATE:
      return NO_ERROR;
    default:
      return ERROR_CALL_NOT_IMPLEMENTED;
  }
}

/* The newest log, and the one before it. */
static HANDLE openLog(const wchar_t *folder) {
  wchar_t path[MAX_PATH], older[MAX_PATH];
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  WIN32_FILE_ATTRIBUTE_DATA facts;
  _snwprintf(path, MAX_PATH, L"%ls\\pithead.log", folder);
  _snwprintf(older, MAX_PATH, L"%ls\\pithead.1.log", folder);
  if (GetFileAttributesExW(path, GetFileExInfoStandard, &facts) && (facts.nFileSizeHigh > 0 || facts.nFileSizeLow > LOG_LIMIT)) {
    MoveFileExW(path, older, MOVEFILE_REPLACE_EXISTING);
  }
  return CreateFileW(path, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_DELETE, &inherited, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
}

/* Runs the program once. Gives its exit code, or (DWORD)-1 when it could not be started. */
static DWORD runOnce(const wchar_t *program, const wchar_t *data) {
  wchar_t command[2 * MAX_PATH];
  _snwprintf(command, 2 * MAX_PATH, L"\"%ls\" run --stop-with-stdin --config \"%ls\\pithead.yaml\"", program, data);
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  HANDLE theirs, ours, log = openLog(data);
  if (!CreatePipe(&theirs, &ours, &inherited, 0)) return (DWORD)-1;
  SetHandleInformation(ours, HANDLE_FLAG_INHERIT, 0);
  STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = theirs, .hStdOutput = log, .hStdError = log};
  PROCESS_INFORMATION child;
  /* Whatever becomes of this process, the child ends with it. */
  HANDLE job = CreateJobObjectW(NULL, NULL);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  DWORD code = (DWORD)-1;
  if (CreateProcessW(program, command, NULL, NULL, TRUE, CREATE_NO_WINDOW | CREATE_SUSPENDED, NULL, data, &start, &child)) {
    AssignProcessToJobObject(job, child.hProcess);
    ResumeThread(child.hThread);
    CloseHandle(theirs), theirs = NULL;
    HANDLE either[] = {stopEvent, child.hProcess};
    if (WaitForMultipleObjects(2, either, FALSE, INFINITE) == WAIT_OBJECT_0) {
      CloseHandle(ours), ours = NULL;
      if (WaitForSingleObject(child.hProcess, STOP_MS) != WAIT_OBJECT_0) TerminateJobObject(job, 1);
      WaitForSingleObject(child.hProcess, 2000);
    }
    GetExitCodeProcess(child.hProcess, &code);
    CloseHandle(child.hThread), CloseHandle(child.hProcess);
  }
  if (theirs != NULL) CloseHandle(theirs);
  if (ours != NULL) CloseHandle(ours);
  if (log != INVALID_HANDLE_VALUE) CloseHandle(log);
  CloseHandle(job);
  return code;
}

static void WINAPI serviceMain(DWORD argc, wchar_t **argv) {
  (void)argc, (void)argv;
  wchar_t program[MAX_PATH], data[MAX_PATH];
  statusHandle = RegisterServiceCtrlHandlerExW(NAME, onControl, NULL);
  if (statusHandle == NULL) return;
  stopEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
  GetModuleFileNameW(NULL, program, MAX_PATH);
  wchar_t *end = wcsrchr(program, L'\\');
  if (end != NULL) wcscpy(end + 1, L"pithead.exe");
  DWORD length = GetEnvironmentVariableW(L"ProgramData", data, MAX_PATH);
  if (length == 0) wcscpy(data, L"C:\\ProgramData");
  wcsncat(data, L"\\Pithead", MAX_PATH - wcslen(data) - 1);
  CreateDirectoryW(data, NULL);

  tell(SERVICE_RUNNING, 0, 0);
  DWORD pauseMs = FIRST_PAUSE_MS, code = 0;
  for (;;) {
    ULONGLONG startedMs = GetTickCount64();
    code = runOnce(program, data);
    if (WaitForSingleObject(stopEvent, 0) == WAIT_OBJECT_0) {
      code = 0;
      break;
    }
    if (code == EXIT_USAGE || code == EXIT_CONFIG) break;
    if (GetTickCount64() - startedMs > GOOD_RUN_MS) pauseMs = FIRST_PAUSE_MS;
    if (WaitForSingleObject(stopEvent, pauseMs) == WAIT_OBJECT_0) {
      code = 0;
      break;
    }
    pauseMs = pauseMs * 2 > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : pauseMs * 2;
  }
  tell(SERVICE_STOPPED, code, 0);
}

int wmain(void) {
  SERVICE_TABLE_ENTRYW table[] = {{NAME, serviceMain}, {NULL, NULL}};
  if (StartServiceCtrlDispatcherW(table)) return 0;
  fwprintf(stderr, L"this is started by Windows: pithead.exe service-install\n");
  return 1;
}

// The Windows service of Pithead: a program that is not a service cannot be started as one. It runs the version that the file `current` beside it names,
// with its output in a log file, stops it by closing its standard input, and starts it again when it dies, unless its exit code says that this would
// not help (2 and 78). When the agent or a person wants an update, or one was cut short, it runs the updater, which is the version that the file
// `proven` names, and stops and starts the program as the updater says. It reads no configuration, checks no signature and opens no socket.
#include "host.h"

#define NAME L"pithead"
#define STOP_MS 15000
#define FIRST_PAUSE_MS 1000
#define LONGEST_PAUSE_MS 60000
/* A run of this length was a good one: the next pause is short again. */
#define GOOD_RUN_MS 600000
#define TICK_MS 1000
/* While an updater may say something. */
#define SHORT_TICK_MS 50
#define LOG_LOOK_MS 60000
#define UPDATER_LIMIT_MS (60 * 60 * 1000)
#define UPDATER_PAUSE_MS 10000
#define LONGEST_UPDATER_PAUSE_MS 600000
#define EXIT_USAGE 2
#define EXIT_CONFIG 78
#define REQUEST L"requests\\request.json"
#define JOURNAL L"update\\journal.json"

static SERVICE_STATUS_HANDLE statusHandle;
static SERVICE_STATUS status = {.dwServiceType = SERVICE_WIN32_OWN_PROCESS};
static HANDLE stopEvent;

/* The program: whether it is to run, how it did since it was started by an order, and when it is started again. */
static struct {
  Child child;
  BOOL isWanted, hasFailed;
  DWORD code, restarts, pauseMs;
  ULONGLONG startedMs, againMs;
} program;

/* The updater: how often one left something undone, and when the next may begin. */
static struct {
  Child child;
  int unfinished;
  ULONGLONG startedMs, nextMs;
  char line[16];
  DWORD length;
} updater;

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
      tell(SERVICE_STOP_PENDING, 0, 2 * STOP_MS);
      SetEvent(stopEvent);
      return NO_ERROR;
    case SERVICE_CONTROL_INTERROGATE:
      return NO_ERROR;
    default:
      return ERROR_CALL_NOT_IMPLEMENTED;
  }
}

static BOOL hasWork(void) { return isThere(REQUEST) || isThere(JOURNAL); }

static void waitToStartAgain(ULONGLONG nowMs) {
  if (nowMs - program.startedMs > GOOD_RUN_MS) program.pauseMs = FIRST_PAUSE_MS;
  program.againMs = nowMs + program.pauseMs;
  program.pauseMs = program.pauseMs * 2 > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : program.pauseMs * 2;
  program.restarts++;
}

static void startProgram(ULONGLONG nowMs) {
  wchar_t path[MAX_PATH], words[2 * MAX_PATH];
  _snwprintf(words, 2 * MAX_PATH, L"run --stop-with-stdin --config \"%ls\\pithead.yaml\"", dataFolder);
  program.startedMs = nowMs;
  if (!programOf(L"current", path) || !startChild(&program.child, path, words, FALSE)) waitToStartAgain(nowMs);
}

static void orderStart(void) {
  program.isWanted = TRUE;
  if (program.child.process != NULL) return;
  program.hasFailed = FALSE;
  program.restarts = 0;
  program.pauseMs = FIRST_PAUSE_MS;
  program.againMs = 0;
}

static void lookAfterProgram(ULONGLONG nowMs) {
  if (program.child.process != NULL && WaitForSingleObject(program.child.process, 0) == WAIT_OBJECT_0) {
    program.code = forgetChild(&program.child);
    program.hasFailed = program.code == EXIT_USAGE || program.code == EXIT_CONFIG;
    if (!program.hasFailed) waitToStartAgain(nowMs);
  }
  BOOL isDown = program.child.process == NULL && !program.hasFailed;
  if (isDown && program.isWanted && nowMs >= program.againMs) startProgram(nowMs);
}

/* In systemd's words, which the updater knows: what it is, what it does, restarts, process. */
static void describeProgram(char *text, size_t size) {
  const char *now = program.child.process != NULL ? "active running"
                    : program.hasFailed           ? "failed failed"
                    : program.isWanted && program.restarts > 0 ? "activating auto-restart"
                    : program.isWanted            ? "activating start"
                                                  : "inactive dead";
  snprintf(text, size, "%s %lu %lu\n", now, program.restarts, program.child.id);
}

static void obey(const char *order) {
  char answer[64] = "ok\n";
  if (strcmp(order, "start") == 0) orderStart();
  else if (strcmp(order, "stop") == 0) {
    program.isWanted = FALSE;
    endChild(&program.child, STOP_MS);
  } else if (strcmp(order, "unit") == 0) describeProgram(answer, sizeof answer);
  else strcpy(answer, "what\n");
  DWORD written;
  WriteFile(updater.child.toIt, answer, (DWORD)strlen(answer), &written, NULL);
}

static void hearUpdater(void) {
  DWORD available = 0, length = 0;
  char letter;
  while (PeekNamedPipe(updater.child.fromIt, NULL, 0, NULL, &available, NULL) && available > 0) {
    if (!ReadFile(updater.child.fromIt, &letter, 1, &length, NULL) || length != 1) return;
    if (letter == '\n') {
      updater.line[updater.length] = '\0';
      updater.length = 0;
      obey(updater.line);
    } else if (updater.length < sizeof updater.line - 1) updater.line[updater.length++] = letter;
  }
}

/* What one has left undone is begun again: at once, then less and less often, and meanwhile the program runs as it is. */
static void onUpdaterEnd(ULONGLONG nowMs) {
  updater.unfinished = hasWork() ? updater.unfinished + 1 : 0;
  ULONGLONG pauseMs = 0;
  if (updater.unfinished > 1) {
    int doublings = updater.unfinished - 2 < 6 ? updater.unfinished - 2 : 6;
    pauseMs = (ULONGLONG)UPDATER_PAUSE_MS << doublings;
    if (pauseMs > LONGEST_UPDATER_PAUSE_MS) pauseMs = LONGEST_UPDATER_PAUSE_MS;
  }
  updater.nextMs = nowMs + pauseMs;
  if (updater.unfinished != 1 && !program.isWanted) orderStart();
}

static void lookAfterUpdater(ULONGLONG nowMs) {
  wchar_t path[MAX_PATH];
  if (updater.child.process != NULL) {
    BOOL hasEnded = WaitForSingleObject(updater.child.process, 0) == WAIT_OBJECT_0;
    hearUpdater();
    if (!hasEnded && nowMs - updater.startedMs <= UPDATER_LIMIT_MS) return;
    endChild(&updater.child, 0);
    onUpdaterEnd(nowMs);
    return;
  }
  if (nowMs < updater.nextMs || !hasWork()) return;
  updater.startedMs = nowMs;
  updater.length = 0;
  if (!programOf(L"proven", path) || !startChild(&updater.child, path, L"update --staged", TRUE)) onUpdaterEnd(nowMs);
}

static DWORD runUntilStopped(void) {
  ULONGLONG logMs = 0;
  // What an update that was cut short has left may be no version that works: first it is undone.
  if (!isThere(JOURNAL)) orderStart();
  for (;;) {
    ULONGLONG nowMs = GetTickCount64();
    if (nowMs >= logMs) trimLog(), logMs = nowMs + LOG_LOOK_MS;
    lookAfterUpdater(nowMs);
    lookAfterProgram(nowMs);
    if (program.hasFailed && updater.child.process == NULL && !hasWork()) return program.code;
    HANDLE waited[3] = {stopEvent};
    DWORD count = 1;
    if (program.child.process != NULL) waited[count++] = program.child.process;
    if (updater.child.process != NULL) waited[count++] = updater.child.process;
    WaitForMultipleObjects(count, waited, FALSE, updater.child.process != NULL ? SHORT_TICK_MS : TICK_MS);
    if (WaitForSingleObject(stopEvent, 0) == WAIT_OBJECT_0) break;
  }
  // Like a power cut for an update: it is undone by the next start.
  endChild(&updater.child, 0);
  endChild(&program.child, STOP_MS);
  return 0;
}

static void WINAPI serviceMain(DWORD argc, wchar_t **argv) {
  (void)argc, (void)argv;
  statusHandle = RegisterServiceCtrlHandlerExW(NAME, onControl, NULL);
  if (statusHandle == NULL) return;
  stopEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
  /* From their first moment, before they are in a job of their own, what we start ends with us. */
  AssignProcessToJobObject(endingWithUs(), GetCurrentProcess());
  findFolders();
  CreateDirectoryW(dataFolder, NULL);
  tell(SERVICE_RUNNING, 0, 0);
  tell(SERVICE_STOPPED, runUntilStopped(), 0);
}

int wmain(void) {
  wchar_t path[MAX_PATH];
  GetModuleFileNameW(NULL, path, MAX_PATH);
  const wchar_t *name = wcsrchr(path, L'\\');
  if (name != NULL && _wcsicmp(name + 1, L"pithead.exe") == 0) return launch();
  SERVICE_TABLE_ENTRYW table[] = {{NAME, serviceMain}, {NULL, NULL}};
  if (StartServiceCtrlDispatcherW(table)) return 0;
  fwprintf(stderr, L"this is started by Windows: pithead.exe service-install\n");
  return 1;
}

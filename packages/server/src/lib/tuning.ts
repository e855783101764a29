/** The times and sizes that tests change. Limits that never vary are constants beside their code. */
export const TUNING = {
  /** How long a new release must stay up after it became healthy, most of it before visitors are sent to it. */
  stabilityMs: 5000,
  healthDeadlineMs: 60_000,
  databaseHealthDeadlineMs: 180_000,
  healthIntervalMs: 250,
  /** When the log starts to say that a release listens on other ports than the app's, and when it is failed for that. */
  sayPortsAfterMs: 5000,
  otherPortsDeadlineMs: 15_000,
  drainMs: 10_000,
  stopGraceSeconds: 10,
  engineWaitMs: 60_000,
  /** A request is answered within a second however slow the remote is; the worker asks again. */
  resolveAtAddMs: 700,
  cloneDeadlineMs: 15 * 60_000,
  buildDeadlineMs: 60 * 60_000,
  /** How long a git server, and a build, may send nothing at all: a compiler may be silent for long. */
  cloneIdleMs: 5 * 60_000,
  buildIdleMs: 20 * 60_000,
  /** How long a download of an image may be slower than the least pace (see engine/downloads/pace.ts). */
  pullWindowMs: 2 * 60_000,
  releaseDeadlineMs: 30 * 60_000,
  startDeadlineMs: 10 * 60_000,
  /** How long the data of an app may be copied to another server, and how often we look whether somebody stopped that. */
  copyDeadlineMs: 12 * 60 * 60_000,
  copyLookMs: 2000,
  reconcileMs: 30_000,
  /** How long a container waits for another server before it is started on the first one. */
  waitForServerMs: 60_000,
  /** How long replicas share a server that could be on two before one of them is moved. */
  spreadAfterMs: 60_000,
  /** How often the edge is compared in full with its wanted state. */
  edgeRepairMs: 30_000,
  /** How often we check which certificates are due. */
  certificateLookMs: 30_000,
  /** How long the head of a request may take, then its body, and how often some of the body must arrive. */
  headMs: 15_000,
  bodyDeadlineMs: 60_000,
  bodyPaceMs: 10_000,
  /** How long a client may keep sending a body that was refused. */
  unreadBodyMs: 5000,
  /** How often we check that clients with an unread response have read some of it. */
  answerPaceMs: 60_000,
  /** An idle connection is closed after this time. */
  idleConnectionMs: 300_000,
  /** A delivery is answered within a second: how long a host may take to say whether a push was forced. */
  askForcedMs: 700,
  /** How often webhooks at git hosts are compared with what apps need. */
  gitHooksMs: 30_000,
  /** How often we look for deployments that their git host has to be told of. */
  commitStatusMs: 5000,
  commitStatusRetryMs: 30_000,
  /** How often the branch of an app that is polled is looked at. */
  sourcePollMs: 5 * 60_000,
  /** How long a new version of Berth may take to listen, how long it is watched, and how often its health is looked at. */
  updateStartMs: 120_000,
  updateWatchMs: 60_000,
  updateHealthMs: 500,
  updateFreshMs: 20_000,
  updateRetryMs: 2000,
  /** How long an update waits for running deployments. */
  updateDeploymentsMs: 60 * 60_000,
  /** How often we look for a new version. */
  updateLookMs: 30 * 60_000,
  /** What must be left on the disk for everything else. */
  updateSpareBytes: 256 * 1024 * 1024,
  diskFloorBytes: 500 * 1024 * 1024,
  /** Below this the disk counts as full: jobs wait instead of failing one after the other. */
  fullDiskBytes: 16 * 1024 * 1024,
}

export type Tuning = typeof TUNING

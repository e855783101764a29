/** How long things may take. Every waiting in the product ends at one of these. */
export const TUNING = {
  /** How long a new release must stay up after it became healthy. */
  stabilityMs: 5000,
  healthDeadlineMs: 60_000,
  databaseHealthDeadlineMs: 180_000,
  healthIntervalMs: 250,
  drainMs: 10_000,
  stopGraceSeconds: 10,
  engineWaitMs: 30_000,
  resolveAtAddMs: 2000,
  cloneDeadlineMs: 15 * 60_000,
  buildDeadlineMs: 60 * 60_000,
  startDeadlineMs: 10 * 60_000,
  reconcileMs: 30_000,
  diskFloorBytes: 500 * 1024 * 1024,
}

export type Tuning = typeof TUNING

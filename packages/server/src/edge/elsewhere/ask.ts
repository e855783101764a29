import type { EdgeCall } from '../../engine/swarm/edge-agent-calls.ts'

/** Asks the agent of one edge on another server. Only what is a text in its answer is of interest. */
export type AskThere = (call: EdgeCall, given?: Record<string, unknown>) => Promise<Readonly<Record<string, string>>>

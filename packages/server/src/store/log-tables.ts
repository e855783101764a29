/** The log of a deployment, of which the node that writes it stores a part every second. */
export type DeploymentLogTable = {
  deployment_id: number
  /** The node that writes it, or wrote it last. */
  node: string
  is_open: 0 | 1
  /** How much is stored. */
  bytes: number
}

/** Whole lines, as they are in the file. */
export type DeploymentLogPartTable = {
  deployment_id: number
  /** How many bytes of the log are before it. */
  start: number
  bytes: number
  hash: string
  /** Compressed. */
  packed: Uint8Array
}

/** What a deployment leaves behind besides its log. */
export type DeploymentFileTable = { deployment_id: number; name: string; sealed_content: string }

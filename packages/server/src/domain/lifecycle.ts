import type { DeploymentStatus, Stage } from '@berth/contract'

/** The whole life of a deployment. A retry or a rollback is a new one. */
export const NEXT = {
  pending: ['building', 'failed', 'stopped'],
  building: ['deploying', 'failed', 'stopped'],
  deploying: ['success', 'failed', 'stopped'],
  success: ['rolled_back'],
  failed: [],
  stopped: [],
  rolled_back: [],
} as const satisfies Record<DeploymentStatus, readonly DeploymentStatus[]>

export function canMove(from: DeploymentStatus, to: DeploymentStatus): boolean {
  const next: readonly DeploymentStatus[] = NEXT[from]
  return next.includes(to)
}

export const UNFINISHED = ['pending', 'building', 'deploying'] as const

export function isUnfinished(status: DeploymentStatus): status is (typeof UNFINISHED)[number] {
  return UNFINISHED.some((unfinished) => unfinished === status)
}

/** The progress at which each stage begins and ends, up to 100. */
export const PROGRESS = {
  cloning_repo: { from: 10, to: 20 },
  building_image: { from: 25, to: 70 },
  stopping_old: { from: 75, to: 75 },
  starting_new: { from: 80, to: 95 },
  completed: { from: 100, to: 100 },
} as const satisfies Record<Stage, { from: number; to: number }>

export function progressIn(stage: Stage, fraction: number): number {
  const { from, to } = PROGRESS[stage]
  return Math.round(from + (to - from) * Math.min(1, Math.max(0, fraction)))
}

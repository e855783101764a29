import { COSTLY_BUILDS } from './costly-builds.ts'
import { COSTLY_COMPOSE } from './costly-compose.ts'
import type { CostlyText } from './costly-text.ts'

export const COSTLY_TEXTS: readonly CostlyText[] = [...COSTLY_COMPOSE, ...COSTLY_BUILDS]

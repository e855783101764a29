import { COSTLY_BUILDS } from './costly-builds.ts'
import { COSTLY_COMPOSE } from './costly-compose.ts'
import { COSTLY_OUTPUT } from './costly-output.ts'
import { COSTLY_REQUESTS } from './costly-requests.ts'
import type { CostlyText } from './costly-text.ts'

export const COSTLY_TEXTS: readonly CostlyText[] = [...COSTLY_COMPOSE, ...COSTLY_BUILDS, ...COSTLY_REQUESTS, ...COSTLY_OUTPUT]

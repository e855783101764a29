import type { Step } from '../../lib/step.ts'

export type Move = { readonly dataDir: string; readonly url: string; readonly step: Step; readonly now: () => Date }

import Type, { type Static } from 'typebox'
import { expects } from './fields.ts'

/** The secret is shown once: only its hash is kept. */
export const DeployHook = Type.Object({ url: Type.String(), secret: Type.String() })
export type DeployHook = Static<typeof DeployHook>

/** Without a commit: the newest one of the branch. Without a branch: that of the app. */
export const HookDeployment = Type.Object({
  commit: Type.Optional(Type.String({ pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$', ...expects('the 40 hexadecimal digits of a commit') })),
  branch: Type.Optional(Type.String({ minLength: 1, maxLength: 255, ...expects('the name of a branch') })),
})
export type HookDeployment = Static<typeof HookDeployment>

/** The public half, as the line that hosts take. */
export const DeployKey = Type.Object({ publicKey: Type.String(), fingerprint: Type.String() })
export type DeployKey = Static<typeof DeployKey>

import Type, { type Static } from 'typebox'
import { expects, Id } from './fields.ts'

export const ContainerStatus = Type.Object({ state: Type.String(), status: Type.String(), id: Type.String() })
export type ContainerStatus = Static<typeof ContainerStatus>
export const ContainerMessage = Type.Object({ message: Type.String() })
export const ContainerLogs = Type.Object({ logs: Type.String() })
export const ContainerUsage = Type.Object({ cpu: Type.Number(), memory: Type.Number(), memoryLimit: Type.Number() })
export type ContainerUsage = Static<typeof ContainerUsage>

export const Tail = Type.Integer({ minimum: 1, maximum: 10_000, lenient: true, ...expects('a whole number between 1 and 10,000') })
export const LogsQuery = Type.Object({ appId: Id, tail: Type.Optional(Tail) })

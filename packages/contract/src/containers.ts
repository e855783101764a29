import Type, { type Static } from 'typebox'
import { expects, Id } from './fields.ts'

export const ContainerStatus = Type.Object({ state: Type.String(), status: Type.String(), id: Type.String() })
export type ContainerStatus = Static<typeof ContainerStatus>
export const ContainerMessage = Type.Object({ message: Type.String() })
export const ContainerLogs = Type.Object({ logs: Type.String() })
export const ContainerUsage = Type.Object({ cpu: Type.Number(), memory: Type.Number(), memoryLimit: Type.Number() })
export type ContainerUsage = Static<typeof ContainerUsage>

export const Tail = Type.Integer({ minimum: 1, maximum: 10_000, lenient: true, ...expects('a whole number between 1 and 10,000') })
/** Days, hours and minutes that exist, so that every text that fits is a time. */
export const Since = Type.String({
  maxLength: 40,
  pattern:
    '^(19[7-9]|20[0-9])[0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$',
  ...expects('a time such as 2026-01-31T12:00:00Z'),
})
export const LogsQuery = Type.Object({ appId: Id, tail: Type.Optional(Tail), since: Type.Optional(Since) })

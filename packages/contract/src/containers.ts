import Type, { type Static } from 'typebox'
import { expects, Id, OneOf } from './fields.ts'
import { ServiceName } from './stacks.ts'

/** `server` is the name of the server it runs on, if Swarm chose one. */
const Replica = Type.Object({
  replica: Type.Integer(),
  id: Type.String(),
  state: Type.String(),
  status: Type.String(),
  server: Type.Optional(Type.String()),
})
/** A process of the live release beside its main one, and its containers. `wanted` is how many there should be. */
const ProcessStatus = Type.Object({
  name: Type.String(),
  command: Type.String(),
  wanted: Type.Integer(),
  status: Type.String(),
  replicas: Type.Array(Replica),
})
/** `replicas` only if there are several containers: then `state` and `status` are about all of them, and `id` is that of the first.
 * `server` is as in a replica, if there is one container. They are those of the main process; `processes` has the others, if the release has any. */
export const ContainerStatus = Type.Object({
  state: Type.String(),
  status: Type.String(),
  id: Type.String(),
  server: Type.Optional(Type.String()),
  replicas: Type.Optional(Type.Array(Replica)),
  processes: Type.Optional(Type.Array(ProcessStatus)),
})
export type ContainerStatus = Static<typeof ContainerStatus>
export const ContainerMessage = Type.Object({ message: Type.String() })
export const ContainerLogs = Type.Object({ logs: Type.String() })
export const ContainerUsage = Type.Object({ cpu: Type.Number(), memory: Type.Number(), memoryLimit: Type.Number() })
export type ContainerUsage = Static<typeof ContainerUsage>

export const Tail = Type.Integer({ minimum: 1, maximum: 10_000, lenient: true, ...expects('a whole number between 1 and 10,000') })
/** Only valid days, hours and minutes, so that every matching text is a time. */
export const Since = Type.String({
  maxLength: 40,
  pattern:
    '^(19[7-9]|20[0-9])[0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$',
  ...expects('a time such as 2026-01-31T12:00:00Z'),
})
export const LogsQuery = Type.Object({
  appId: Id,
  service: Type.Optional(ServiceName),
  tail: Type.Optional(Tail),
  since: Type.Optional(Since),
})

const LogStream = OneOf(['stdout', 'stderr'])
/** The position of a line in a log, as in its `id`: its time, and its number among lines of the same time. */
const LogPlace = Type.String({
  maxLength: 50,
  pattern:
    '^(19[7-9]|20[0-9])[0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z(~[0-9]{1,9})?$',
  ...expects('the id of a line, or a time such as 2026-01-31T12:00:00Z'),
})
const Which = {
  appId: Id,
  containerId: Type.Optional(Type.String({ minLength: 1, maxLength: 200, ...expects('the id of a container') })),
  service: Type.Optional(ServiceName),
  stream: Type.Optional(LogStream),
}
const LinesWanted = Type.Integer({ minimum: 1, maximum: 5000, lenient: true, ...expects('a whole number between 1 and 5,000') })
const ContextLines = Type.Integer({ minimum: 0, maximum: 20, lenient: true, ...expects('a whole number between 0 and 20') })

export const LogPageQuery = Type.Object({
  ...Which,
  before: Type.Optional(LogPlace),
  after: Type.Optional(LogPlace),
  around: Type.Optional(LogPlace),
  limit: Type.Optional(LinesWanted),
})
export const LogSearchQuery = Type.Object({
  ...Which,
  search: Type.String({ minLength: 1, maxLength: 200, ...expects('a string of 1 to 200 characters') }),
  context: Type.Optional(ContextLines),
  limit: Type.Optional(LinesWanted),
})
export const LogFileQuery = Type.Object(Which)

/** `service` is a service of a compose app or a process, and empty for the main process; `replica` is 1 where there is only one container. */
const logEntry = {
  id: Type.String(),
  at: Type.String(),
  stream: LogStream,
  line: Type.String(),
  service: Type.String(),
  replica: Type.Integer(),
}
const LogEntry = Type.Object(logEntry)
export type LogEntry = Static<typeof LogEntry>
/** Oldest first. `first` is how many lines there are before them, `total` how many the engine has. */
export const LogPage = Type.Object({ lines: Type.Array(LogEntry), first: Type.Integer(), total: Type.Integer() })
export type LogPage = Static<typeof LogPage>
/** `n` is how many lines there are before it. */
const LogSearchLine = Type.Object({ ...logEntry, n: Type.Integer(), isMatch: Type.Boolean() })
export type LogSearchLine = Static<typeof LogSearchLine>
/** `matches` counts all matches, of which the newest are in `lines`, with their context; `total` is how many lines were searched. */
export const LogSearch = Type.Object({ matches: Type.Integer(), total: Type.Integer(), lines: Type.Array(LogSearchLine) })
export type LogSearch = Static<typeof LogSearch>

import Type, { type Static } from 'typebox'
import { ListedApplication } from './applications.ts'
import { VariableList } from './env-variables.ts'
import { Email, expects, Flag, Id, Label, Prose, Time } from './fields.ts'
import { Role } from './users.ts'

const project = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  tags: Type.String(),
  ownerId: Id,
  createdAt: Time,
  updatedAt: Time,
}

export const Project = Type.Object(project)
export type Project = Static<typeof Project>

export const Member = Type.Object({ id: Id, email: Type.String(), role: Role, addedAt: Time })
export type Member = Static<typeof Member>

export const ProjectDetails = Type.Object({ ...project, applications: Type.Array(ListedApplication), members: Type.Array(Member) })
export type ProjectDetails = Static<typeof ProjectDetails>

const Tags = Type.Union([Prose(500), Type.Array(Label(60), { maxItems: 30 })], expects('a comma-separated string or a list of strings'))

export const NewProject = Type.Object({
  name: Label(100),
  description: Type.Optional(Prose(2000)),
  tags: Type.Optional(Tags),
})
export const ProjectChange = Type.Object({
  id: Id,
  name: Type.Optional(Label(100)),
  description: Type.Optional(Prose(2000)),
  tags: Type.Optional(Tags),
})
export const ProjectOnly = Type.Object({ projectId: Id })
export const ProjectDeletion = Type.Object({ id: Id, deleteVolumes: Type.Optional(Flag) })
export const MembersChange = Type.Object({
  id: Id,
  userIds: Type.Optional(Type.Array(Id, { maxItems: 1000, ...expects('a list of user ids') })),
  emails: Type.Optional(Type.Array(Email, { maxItems: 1000, ...expects('a list of email addresses') })),
})

/** Variables that every app of the project can refer to as `${{project.KEY}}`. */
export const ProjectVariable = Type.Object({
  id: Id,
  projectId: Id,
  key: Type.String(),
  value: Type.String(),
  createdAt: Time,
  updatedAt: Time,
})
export type ProjectVariable = Static<typeof ProjectVariable>
export const ProjectVariablesReplacement = Type.Object({ projectId: Id, variables: VariableList })

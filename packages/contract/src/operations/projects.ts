import Type from 'typebox'
import { ById, Deleted } from '../ids.ts'
import { operation } from '../operation.ts'
import {
  MembersChange,
  NewProject,
  Project,
  ProjectChange,
  ProjectDeletion,
  ProjectDetails,
  ProjectOnly,
  ProjectVariable,
  ProjectVariablesReplacement,
} from '../projects.ts'

/** Projects, their members and their variables. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const projectOperations = {
  'projects.list': operation({
    summary: 'List the projects you can see',
    method: 'GET', path: '/api/projects', may: 'signed in', answer: Type.Array(Project),
  }),
  'projects.create': operation({
    summary: 'Create a project',
    method: 'POST', path: '/api/projects/create', may: 'signed in', body: NewProject, answer: Project,
  }),
  'projects.get': operation({
    summary: 'Get a project with its apps and members',
    method: 'GET', path: '/api/projects/:id', may: 'member of the project', params: ById, answer: ProjectDetails,
  }),
  'projects.update': operation({
    summary: 'Change a project',
    method: 'PUT', path: '/api/projects/update', may: 'owner of the project', body: ProjectChange, answer: Project,
  }),
  'projects.members': operation({
    summary: 'Set the members of a project; people can be added by email, and the owner always stays a member',
    method: 'PUT', path: '/api/projects/members', may: 'owner of the project', body: MembersChange, answer: ProjectDetails,
  }),
  'projects.leave': operation({
    summary: 'Leave a project; its owner cannot',
    method: 'POST', path: '/api/projects/leave', may: 'member but not owner of the project', body: ById, answer: ById,
  }),
  'projects.delete': operation({
    summary: 'Delete a project and everything in it; volumes only on request',
    method: 'DELETE', path: '/api/projects/delete', may: 'owner of the project', body: ProjectDeletion, answer: Deleted,
  }),

  'projectEnvs.list': operation({
    summary: 'List the variables of a project',
    method: 'GET', path: '/api/projects/envs', may: 'member of the project', query: ProjectOnly, answer: Type.Array(ProjectVariable),
  }),
  'projectEnvs.replace': operation({
    summary: 'Set all variables of a project at once',
    method: 'PUT', path: '/api/projects/envs/replace', may: 'member of the project', body: ProjectVariablesReplacement, answer: Type.Array(ProjectVariable),
  }),
} as const

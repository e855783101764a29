import Type from 'typebox'
import {
  Application,
  ApplicationChange,
  ApplicationDeletion,
  AppOnly,
  Connection,
  NewApplication,
  SourceCheck,
  SourceCheckRequest,
  SourceFiles,
  SourceFilesRequest,
  Transfer,
} from '../applications.ts'
import { Deleted } from '../ids.ts'
import { Traffic } from '../metrics.ts'
import { operation } from '../operation.ts'
import { ProjectOnly } from '../projects.ts'

/** Applications: what they are and where they come from. */
// biome-ignore format: one line of words and one of facts for each operation, so that the table can be read as one
export const appOperations = {
  'apps.create': operation({
    summary: 'Make an application',
    method: 'POST', path: '/api/apps/create', may: 'member of the project', body: NewApplication, answer: Application, message: 'Application created successfully',
  }),
  'apps.list': operation({
    summary: 'The applications of a project',
    method: 'POST', path: '/api/apps/get', may: 'member of the project', body: ProjectOnly, answer: Type.Array(Application), message: 'Applications retrieved successfully',
  }),
  'apps.listAll': operation({
    summary: 'Every application that the caller can see',
    method: 'GET', path: '/api/apps', may: 'signed in', answer: Type.Array(Application), message: 'Applications retrieved successfully',
  }),
  'apps.get': operation({
    summary: 'One application',
    method: 'POST', path: '/api/apps/get/id', may: 'member of the app', body: AppOnly, answer: Application, message: 'Application retrieved successfully',
  }),
  'apps.update': operation({
    summary: 'Change an application; only what is given changes',
    method: 'POST', path: '/api/apps/update', may: 'owner of the app', body: ApplicationChange, answer: Application, message: 'Application updated successfully',
  }),
  'apps.delete': operation({
    summary: 'Delete an application; its volumes only when asked',
    method: 'POST', path: '/api/apps/delete', may: 'steward of the app', body: ApplicationDeletion, answer: Deleted, message: 'Application deleted successfully',
  }),
  'apps.transfer': operation({
    summary: 'Hand an application over to somebody who can see it',
    method: 'POST', path: '/api/apps/transfer', may: 'steward of the app', body: Transfer, answer: Application, message: 'Application transferred successfully',
  }),
  'apps.connection': operation({
    summary: 'How other apps of the project reach a database app',
    method: 'GET', path: '/api/apps/connection', may: 'member of the app', query: AppOnly, answer: Connection,
  }),
  'apps.traffic': operation({
    summary: 'Requests that the edge has served for an application',
    method: 'GET', path: '/api/apps/traffic', may: 'member of the app', query: AppOnly, answer: Traffic,
  }),
  'apps.checkSource': operation({
    summary: 'Whether a clone URL answers, and which branches it has',
    method: 'POST', path: '/api/apps/source/check', may: 'member of the project', body: SourceCheckRequest, answer: SourceCheck,
  }),
  'apps.checkSourceFiles': operation({
    summary: 'Whether a source has the Dockerfile or the Compose file that a deployment needs, and where else there are some',
    method: 'POST', path: '/api/apps/source/files', may: 'member of the project', body: SourceFilesRequest, answer: SourceFiles,
  }),
} as const

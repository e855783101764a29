import Type from 'typebox'
import {
  Application,
  ApplicationChange,
  ApplicationDeletion,
  AppMove,
  AppOnly,
  Connection,
  ListedApplication,
  NewApplication,
  SourceCheck,
  SourceCheckRequest,
  SourceFiles,
  SourceFilesRequest,
  Transfer,
} from '../applications.ts'
import { AppWebhook } from '../git.ts'
import { Deleted } from '../ids.ts'
import { Traffic } from '../metrics.ts'
import { operation } from '../operation.ts'
import { ProjectOnly } from '../projects.ts'

/** Apps: what they are and where they come from. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const appOperations = {
  'apps.create': operation({
    summary: 'Create an app',
    method: 'POST', path: '/api/apps/create', may: 'member of the project', body: NewApplication, answer: Application, message: 'Application created successfully',
  }),
  'apps.list': operation({
    summary: 'List the apps of a project',
    method: 'POST', path: '/api/apps/get', may: 'member of the project', body: ProjectOnly, answer: Type.Array(ListedApplication), message: 'Applications retrieved successfully',
  }),
  'apps.listAll': operation({
    summary: 'List all apps you can see',
    method: 'GET', path: '/api/apps', may: 'signed in', answer: Type.Array(ListedApplication), message: 'Applications retrieved successfully',
  }),
  'apps.get': operation({
    summary: 'Get an app',
    method: 'POST', path: '/api/apps/get/id', may: 'member of the app', body: AppOnly, answer: Application, message: 'Application retrieved successfully',
  }),
  'apps.update': operation({
    summary: 'Change an app; only the fields you send change',
    method: 'POST', path: '/api/apps/update', may: 'owner of the app', body: ApplicationChange, answer: Application, message: 'Application updated successfully',
  }),
  'apps.delete': operation({
    summary: 'Delete an app; its volumes only on request',
    method: 'POST', path: '/api/apps/delete', may: 'steward of the app', body: ApplicationDeletion, answer: Deleted, message: 'Application deleted successfully',
  }),
  'apps.transfer': operation({
    summary: 'Transfer an app to another user who can see it',
    method: 'POST', path: '/api/apps/transfer', may: 'steward of the app', body: Transfer, answer: Application, message: 'Application transferred successfully',
  }),
  'apps.move': operation({
    summary: 'Move an app with its data to another server; the app is down meanwhile',
    method: 'POST', path: '/api/apps/move', may: 'owner of the app', body: AppMove, answer: Application, message: 'Move started',
  }),
  'apps.stopMove': operation({
    summary: 'Stop the move of an app while its data is copied; it starts again where it was',
    method: 'POST', path: '/api/apps/move/stop', may: 'steward of the app', body: AppOnly, answer: Application, message: 'Move stopped',
  }),
  'apps.connection': operation({
    summary: 'Get the connection URL of a database for other apps in the project',
    method: 'GET', path: '/api/apps/connection', may: 'member of the app', query: AppOnly, answer: Connection,
  }),
  'apps.traffic': operation({
    summary: 'Get the request counts of an app',
    method: 'GET', path: '/api/apps/traffic', may: 'member of the app', query: AppOnly, answer: Traffic,
  }),
  'apps.checkSource': operation({
    summary: 'Check that a clone URL answers, and list its branches',
    method: 'POST', path: '/api/apps/source/check', may: 'member of the project', body: SourceCheckRequest, answer: SourceCheck,
  }),
  'apps.checkSourceFiles': operation({
    summary: 'Check that a repository has the Dockerfile or Compose file a deployment needs, and find others',
    method: 'POST', path: '/api/apps/source/files', may: 'member of the project', body: SourceFilesRequest, answer: SourceFiles,
  }),
  'apps.webhook': operation({
    summary: "Get whether pushes to the app's repository reach Berth",
    method: 'GET', path: '/api/apps/webhook', may: 'member of the app', query: AppOnly, answer: AppWebhook,
  }),
} as const

import Type from 'typebox'
import { AppOnly } from '../applications.ts'
import { AppStorage } from '../disk.ts'
import { Deleted } from '../ids.ts'
import { operation } from '../operation.ts'
import { AppFile, AppFileContent, DeletedVolume, FileAt, FileWriting, VolumeDeletion } from '../storage.ts'

/** What an app keeps over its releases, and the files that each release is given. */
// biome-ignore format: a summary line and a line of facts per operation, so that the list reads like a table
export const storageOperations = {
  'apps.storage': operation({
    summary: 'List the volumes of an app and their sizes',
    method: 'GET', path: '/api/apps/storage', may: 'member of the app', query: AppOnly, answer: AppStorage,
  }),
  'volumes.delete': operation({
    summary: 'Delete a volume and its data; it must no longer be in the settings of the app or in a container',
    method: 'DELETE', path: '/api/apps/volumes/delete', may: 'steward of the app', body: VolumeDeletion, answer: DeletedVolume,
  }),
  'files.list': operation({
    summary: 'List the files of an app, without their contents',
    method: 'GET', path: '/api/apps/files', may: 'member of the app', query: AppOnly, answer: Type.Array(AppFile),
  }),
  'files.read': operation({
    summary: 'Get a file of an app with its content',
    method: 'GET', path: '/api/apps/files/content', may: 'member of the app', query: FileAt, answer: AppFileContent,
  }),
  'files.save': operation({
    summary: 'Add a file to an app, or replace it; releases get it with the next deployment',
    method: 'PUT', path: '/api/apps/files/save', may: 'member of the app', body: FileWriting, answer: AppFile,
  }),
  'files.delete': operation({
    summary: 'Remove a file from an app; the live release keeps it',
    method: 'DELETE', path: '/api/apps/files/delete', may: 'member of the app', body: FileAt, answer: Deleted,
  }),
} as const

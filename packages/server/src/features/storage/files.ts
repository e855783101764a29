import {
  type AppFile,
  type AppFileContent,
  DEFAULT_FILE_MODE,
  type FileEncoding,
  type FileWriting,
  filesProblem,
  MOST_FILE_BYTES,
  MOST_FILES,
  MOST_FILES_BYTES,
} from '@berth/contract'
import { kindOf } from '../../domain/app-kinds.ts'
import { volumesOf } from '../../domain/app-volumes.ts'
import { recordAudit } from '../../domain/audit.ts'
import type { Caller } from '../../domain/caller.ts'
import { aboutFiles } from '../../domain/release-files.ts'
import { type AppRow, findApp } from '../../domain/rows.ts'
import { appendEvent } from '../../events/event-log.ts'
import { AppError, fieldError } from '../../lib/app-error.ts'
import { QUOTAS } from '../../lib/quota.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { Db, Tx } from '../../store/database.ts'
import { deleteFile, findFile, insertFile, type ListedFileRow, listFiles, sumFileBytes, updateFile } from './store.ts'

type Deps = { db: Db; secrets: SecretBox; now: () => Date }

function present(row: ListedFileRow): AppFile {
  return { id: row.id, path: row.path, mode: row.mode, bytes: row.bytes, createdAt: row.created_at, updatedAt: row.updated_at }
}

/** The files of apps. As with variables, a value is sealed before it reaches the database, and only names are in the audit log. */
export function createFiles({ db, secrets, now }: Deps) {
  async function list(app: AppRow): Promise<AppFile[]> {
    return (await listFiles(db, app.id)).map(present)
  }

  async function read(app: AppRow, path: string): Promise<AppFileContent> {
    const row = await findFile(db, app.id, path)
    if (!row) throw new AppError('file_not_found')
    return { ...present(row), ...shownContent(secrets.open(row.sealed_content, aboutFiles(app.id))) }
  }

  async function save(caller: Caller, app: AppRow, given: FileWriting): Promise<AppFile> {
    const bytes = bytesOf(given)
    const sealed_content = secrets.seal(bytes.toString('base64'), aboutFiles(app.id))
    return await change(caller, app, { action: 'file.save', path: given.path }, async (tx, at) => {
      const before = await findFile(tx, app.id, given.path)
      const fields = { mode: given.mode ?? before?.mode ?? DEFAULT_FILE_MODE, bytes: bytes.length, sealed_content, updated_at: at }
      const row = before
        ? await updateFile(tx, before.id, fields)
        : await insertFile(tx, { app_id: app.id, path: given.path, created_at: at, ...fields })
      await refuseBadFiles(tx, app.id)
      return present(row)
    })
  }

  async function remove(caller: Caller, app: AppRow, path: string): Promise<{ id: number }> {
    return await change(caller, app, { action: 'file.delete', path }, async (tx) => {
      const removed = await deleteFile(tx, app.id, path)
      if (!removed) throw new AppError('file_not_found')
      return removed
    })
  }

  async function change<Result>(
    caller: Caller,
    app: AppRow,
    words: { action: string; path: string },
    work: (tx: Tx, at: string) => Promise<Result>,
  ): Promise<Result> {
    const at = now()
    return await db.transaction(async (tx) => {
      const result = await work(tx, at.toISOString())
      await recordAudit(tx, at, caller, { action: words.action, subject: 'app', subjectId: app.id, after: { path: words.path } })
      await appendEvent(tx, at, { type: 'app.updated', data: { projectId: app.project_id, appId: app.id } })
      return result
    })
  }

  return { list, read, save, remove }
}

export type Files = ReturnType<typeof createFiles>

/** Judges all files of the app as they are after a change, in its transaction. */
async function refuseBadFiles(tx: Tx, appId: number): Promise<void> {
  const app = await findApp(tx, appId)
  if (!app) throw new AppError('app_not_found')
  if (kindOf(app).madeFrom !== 'dockerfile')
    throw fieldError('invalid_request', 'appId', 'must be a web or service app: a compose app has configs in its compose file')
  const files = await listFiles(tx, appId)
  const problem = filesProblem({ files, volumes: volumesOf(app) })
  if (problem !== undefined) throw fieldError('invalid_request', 'path', problem)
  if (files.length > MOST_FILES) throw fieldError('invalid_request', 'path', `an app can have at most ${MOST_FILES} files`)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > MOST_FILES_BYTES)
    throw fieldError('invalid_request', 'content', `the files of an app can have at most 1 MiB together, and would have ${sizeText(bytes)}`)
  if ((await sumFileBytes(tx, app.project_id)) > QUOTAS.fileBytesOfUser)
    throw fieldError('invalid_request', 'content', 'the files of all apps of a person can have at most 64 MiB together')
}

function bytesOf({ content, encoding = 'utf8' }: Pick<FileWriting, 'content' | 'encoding'>): Buffer {
  const bytes = Buffer.from(content, encoding)
  if (encoding === 'base64' && bytes.toString('base64') !== content.replaceAll(/\s/g, ''))
    throw fieldError('invalid_request', 'content', 'must be base64, as encoding says')
  if (bytes.length > MOST_FILE_BYTES)
    throw fieldError('invalid_request', 'content', `a file can have at most 512 KiB, and this one has ${sizeText(bytes.length)}`)
  return bytes
}

function sizeText(bytes: number): string {
  return `${bytes.toLocaleString('en')} bytes`
}

/** As text if it is one, so that it can be read and edited. */
function shownContent(base64: string): { encoding: FileEncoding; content: string } {
  const bytes = Buffer.from(base64, 'base64')
  const content = bytes.toString('utf8')
  const isText = !content.includes('\u0000') && Buffer.from(content, 'utf8').equals(bytes)
  return isText ? { encoding: 'utf8', content } : { encoding: 'base64', content: base64 }
}

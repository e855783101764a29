import type { Reader } from './database.ts'

/** The projects that share a quota with this one: all projects of its owner, or only itself if the owner is an admin. */
export function projectsSharingQuota(db: Reader, projectId: number) {
  return db
    .selectFrom('project as this')
    .innerJoin('user', 'user.id', 'this.owner_id')
    .innerJoin('project', 'project.owner_id', 'this.owner_id')
    .select('project.id')
    .where('this.id', '=', projectId)
    .where((eb) => eb.or([eb('user.role', '=', 'user'), eb('project.id', '=', projectId)]))
}

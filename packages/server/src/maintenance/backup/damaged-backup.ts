/** A backup that must not be restored: it was truncated or changed, it is not a backup, or the passphrase is wrong. */
export class DamagedBackup extends Error {}

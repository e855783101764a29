/** A backup that must not be restored: it was cut off or changed, it is none, or the passphrase is another one. */
export class DamagedBackup extends Error {}

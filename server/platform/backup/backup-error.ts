/** Why a backup or a restore was refused, in words for the operator. */
export class BackupError extends Error {}

/** There is one backup of an installation at a time. */
export class BackupRunning extends BackupError {
  constructor() {
    super("Another backup of this installation is being made.");
  }
}

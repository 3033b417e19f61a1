import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

/** Makes the data dir where it is missing. @throws ConfigError when it cannot be written. */
export function openDataDir(path: string): string {
  try {
    mkdirSync(join(path, 'workspace'), { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return path
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError(
      `JARVIS_DATA_DIR ${path} cannot be written (${why}). Choose a folder you own, for example JARVIS_DATA_DIR=~/.jarvis.`,
    )
  }
}

import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * JARVIS's own files and folders, as absolute paths, also with links resolved: the data folder with policy and settings, the key beside it, and
 * `.env`. The folders of sessions are inside the data folder and are reachable only through the root `session`.
 */
export function ownPathsOf(dataDir: string, others: readonly string[] = []): string[] {
  const named = [dataDir, `${resolve(dataDir)}.key`, '.env', ...others].map((path) => resolve(path))
  return [...new Set(named.flatMap((path) => [path, realOf(path)]))]
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

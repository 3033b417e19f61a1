import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * JARVIS's own files and folders, absolute, as they are named and as links lead there: its data with policy and settings, the key beside
 * it, and `.env`. The folders of sessions lie in the data, and are reached as the root `session` alone.
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

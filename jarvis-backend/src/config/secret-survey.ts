import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isSealed,
  keyringMissing,
  openSecrets,
  openToOthers,
  problemOf,
  readKeys,
  type SecretBox,
  SecretsRefused,
  sealedRowsIn,
  wordsOf,
} from 'secrets'
import { secretFileNames, secretFiles, secretsIn } from './sealed-files.ts'
import type { Sealing } from './sealing.ts'

/** `closed`: sealed, and no present key opens it. `old`: sealed with an older data key; the next start seals it with the newest. */
export type SecretState = 'sealed' | 'old' | 'plain' | 'closed'
/** The state of the secrets of a data dir, without the secrets themselves. */
export type SecretSurvey = {
  secrets: { place: string; state: SecretState }[]
  /** The key in use; absent: nothing was sealed yet. */
  key?: { id: string; at: string; isInDataDir: boolean }
  /** The reason why nothing can be opened. */
  problem?: string
  /** Files with keys that other accounts can read. */
  openToOthers: string[]
  /** Copies of files, with plain secrets in them. */
  plainCopies: string[]
  /** True if a key other than the one in use still wraps data keys, or lies beside it: a rotation was not finished. */
  isRotating: boolean
}

/** Examines the secrets of a data dir; changes nothing. */
export function surveySecrets({ dataDir, secretKeys }: Sealing): SecretSurvey {
  let box: SecretBox | undefined
  let known: Pick<SecretSurvey, 'key' | 'problem' | 'openToOthers' | 'isRotating'> = {
    openToOthers: [],
    isRotating: false,
  }
  try {
    known = keysOf({ dataDir, secretKeys })
    box = openSecrets(dataDir, secretKeys)
  } catch (error) {
    if (!(error instanceof SecretsRefused)) throw error
    known = { ...known, problem: error.message }
  }
  const secrets = [...secretFiles(dataDir).flatMap(({ leaves }) => leaves), ...sealedRowsIn(dataDir)].map(
    ({ place, text }) => ({ place, state: stateOf(box, place, text) }),
  )
  if (known.key === undefined && known.problem === undefined && secrets.some(({ state }) => state === 'closed'))
    known = { ...known, problem: keyringMissing(dataDir) }
  return { secrets, ...known, plainCopies: plainCopies(dataDir) }
}

function keysOf({ dataDir, secretKeys }: Sealing) {
  const keys = readKeys(dataDir, secretKeys)
  const { places, masters, keyring } = keys
  const others = { openToOthers: openToOthers(places, false) }
  const newest = keyring?.keys.at(-1)
  if (keyring === undefined || newest === undefined) return { ...others, isRotating: false }
  const place = masters.find(({ id }) => id === newest.master)?.place
  const inFirst = masters.filter((known) => known.place === places[0])
  const problem = problemOf(dataDir, keys)
  return {
    ...others,
    key: {
      id: newest.master,
      at: place === undefined ? keyring.keptAt : wordsOf(place),
      isInDataDir: place?.kind === 'file' && place.isInDataDir,
    },
    isRotating:
      problem === undefined && (inFirst[0]?.id !== newest.master || (places[0].kind === 'file' && inFirst.length > 1)),
    problem,
  }
}

function stateOf(box: SecretBox | undefined, place: string, text: string): SecretState {
  if (!isSealed(text)) return 'plain'
  try {
    box?.open(place, text)
  } catch {
    return 'closed'
  }
  return box === undefined ? 'closed' : box.isCurrent(text) ? 'sealed' : 'old'
}

/** Names the copies that editors, restores and crashes left beside the files. */
function plainCopies(dataDir: string): string[] {
  try {
    return readdirSync(dataDir).filter((name) => {
      const of = secretFileNames.find(
        (file) => name !== file && /^[.~]/.test(name.slice(file.length)) && name.startsWith(file),
      )
      const found = of === undefined ? undefined : secretsIn(of, readFileSync(join(dataDir, name), 'utf8'))
      return found?.leaves.some(({ text }) => !isSealed(text)) === true
    })
  } catch {
    return []
  }
}

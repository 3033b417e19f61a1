import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'
import { decrypt } from './cipher.ts'
import { aboutDataKey } from './keyring.ts'
import type { KeySources } from './master-keys.ts'
import { readKeys } from './secrets.ts'

/**
 * The result of checking a backup file. `changed`: the file has changed since its proof was added. `unproven`: it has no proof. `no_key`: the master
 * key with the id `key` is not available.
 */
export type Proven = { is: 'proven' | 'changed' | 'unproven' } | { is: 'no_key'; key: string }

/**
 * The last line of a proven file, after the part that SQLite reads. It contains the id of the data key, the id of the master key that wraps it, the
 * wrapped data key (for a machine that has only the master key), and the HMAC of everything before this line.
 */
const proof = /\njarvis-backup-v1 ([0-9a-f]{16}) ([0-9a-f]{8}) ([\w-]{1,200}) ([0-9a-f]{64})\n$/
const longest = 1_024
const pieceBytes = 1024 * 1024

/** Appends to a file the proof that a holder of the data dir's keys made it. @returns false if the newest data key cannot be opened here */
export function prove(file: string, dataDir: string, sources: KeySources): boolean {
  const { keyring, open } = readKeys(dataDir, sources)
  const newest = keyring?.keys.at(-1)
  const key = newest && open.get(newest.id)
  if (newest === undefined || key === undefined) return false
  const fd = openSync(file, 'r')
  try {
    const mac = macOf(fd, fstatSync(fd).size, key)
    appendFileSync(file, `\njarvis-backup-v1 ${newest.id} ${newest.master} ${newest.wrapped} ${mac}\n`)
    return true
  } finally {
    closeSync(fd)
  }
}

/** Checks a file's proof with the available keys, and removes the proof from the file. */
export function checkProof(file: string, dataDir: string, sources: KeySources): Proven {
  const fd = openSync(file, 'r+')
  try {
    const { size } = fstatSync(fd)
    const tail = Buffer.alloc(Math.min(longest, size))
    readSync(fd, tail, 0, tail.length, size - tail.length)
    const [line, id = '', master = '', wrapped = '', mac = ''] = proof.exec(tail.toString('latin1')) ?? []
    if (line === undefined) return { is: 'unproven' }
    const end = size - line.length
    ftruncateSync(fd, end)
    const { masters, open } = readKeys(dataDir, sources)
    const own = masters.find((known) => known.id === master)
    const key = open.get(id) ?? (own && decrypt(own.key, aboutDataKey(id, master), wrapped))
    if (key === undefined) return own === undefined ? { is: 'no_key', key: master } : { is: 'changed' }
    const isSame = timingSafeEqual(Buffer.from(macOf(fd, end, key), 'hex'), Buffer.from(mac, 'hex'))
    return { is: isSame ? 'proven' : 'changed' }
  } finally {
    closeSync(fd)
  }
}

/** Returns the HMAC of the first `bytes` bytes, hex. */
function macOf(fd: number, bytes: number, dataKey: Buffer): string {
  const hmac = createHmac('sha256', Buffer.from(hkdfSync('sha256', dataKey, '', 'jarvis backup v1', 32)))
  const piece = Buffer.alloc(pieceBytes)
  for (let at = 0; at < bytes; ) {
    const read = readSync(fd, piece, 0, Math.min(pieceBytes, bytes - at), at)
    if (read === 0) throw new Error('The file became shorter while it was read.')
    hmac.update(piece.subarray(0, read))
    at += read
  }
  return hmac.digest('hex')
}

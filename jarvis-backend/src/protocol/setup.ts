import { z } from 'zod'

/** Long enough for any real one; what it must look like is said by the configuration that takes it. */
const Text = z.string().trim().min(1).max(2_000)
const Urls = z.array(Text).min(1).max(20)

export const SetupProbeBody = z.strictObject({ url: Text })
/** What a way in shows to anybody. `version`, `node`: of its front page; absent where that is not Proxmox's. */
export type SetupProbeReply = {
  url: string
  /** SHA-256, `AA:BB:…`: a person compares it with `pvenode cert info`. */
  fingerprint: string
  /** Signed by an authority this machine trusts, for this name: it needs no pin. */
  isTrusted: boolean
  subject: string
  issuer: string
  /** Unix ms. */
  validTo: number
  version?: string
  node?: string
}

/** `fingerprints`: those a person has accepted; none where every certificate is trusted without. */
export const SetupClusterBody = z.strictObject({
  urls: Urls,
  tokenId: Text,
  tokenSecret: Text,
  fingerprints: z.array(Text).max(50).default([]),
})
export type SetupClusterBody = z.output<typeof SetupClusterBody>

/** `granted`: on the whole cluster, on a part, not at all. `missing`: `VM.PowerMgmt on /vms`. */
export type SetupToolRights = { toolName: string; granted: 'all' | 'some' | 'none'; missing: string[] }
/** `tools`: absent where no entry served. `fix`: the line for a node's shell that adds the missing rights. */
export type SetupTestReply = {
  ok: boolean
  entries: { url: string; version?: string; problem?: string }[]
  nodes: { name: string; isOnline: boolean | null }[]
  tools?: SetupToolRights[]
  fix?: string
}
/** `savedTo`: what the next start reads. */
export type SetupSaveReply = { savedTo: string; needsRestart: true }
/**
 * `command`: makes the role, user and token on a node. `source`: where the cluster in use is named; what `environment`
 * names (`.env` included) cannot be changed here. Never the secret.
 */
export type SetupReply = {
  command: string
  source: 'demo' | 'environment' | 'settings'
  urls: string[]
  tokenId?: string
  fingerprints: string[]
}

/** `area` groups them: `Configuration`, `Cluster`, `Token`, … `fix`: what to do about it. */
export type DoctorCheck = { area: string; health: 'ok' | 'warn' | 'bad'; text: string; fix?: string }
/** `ok`: nothing is bad. `at`: Unix ms, when it was begun. */
export type DoctorReply = { ok: boolean; at: number; tookMs: number; checks: DoctorCheck[] }

import { z } from 'zod'

/** A text field of the setup. The configuration checks its content later. */
const Text = z.string().trim().min(1).max(2_000)
const Urls = z.array(Text).min(1).max(20)

export const SetupProbeBody = z.strictObject({ url: Text })
/** Facts that an address shows without a token. `version`, `node`: from Proxmox's front page; absent if the page is not Proxmox's. */
export const SetupProbeReply = z.object({
  url: z.string(),
  /** SHA-256 of the certificate, `AA:BB:…`. A person compares it with the output of `pvenode cert info`. */
  fingerprint: z.string(),
  /** The certificate is signed by an authority that this machine trusts, for this name. JARVIS then needs no pinned fingerprint. */
  isTrusted: z.boolean(),
  subject: z.string(),
  issuer: z.string(),
  /** Unix ms. */
  validTo: z.number(),
  version: z.string().optional(),
  node: z.string().optional(),
})
export type SetupProbeReply = z.infer<typeof SetupProbeReply>

/** `fingerprints`: fingerprints of the certificates that a person accepted; empty if this machine trusts all of them. */
export const SetupClusterBody = z.strictObject({
  urls: Urls,
  tokenId: Text,
  tokenSecret: Text,
  fingerprints: z.array(Text).max(50).default([]),
})
export type SetupClusterBody = z.output<typeof SetupClusterBody>

/** Rights of the token for a tool. `granted`: on the whole cluster, on a part of it, or not at all. `missing`: for example `VM.PowerMgmt on /vms`. */
export const SetupToolRights = z.object({
  toolName: z.string(),
  granted: z.enum(['all', 'some', 'none']),
  missing: z.array(z.string()),
})
export type SetupToolRights = z.infer<typeof SetupToolRights>
/**
 * A set of rights that can be added to the base role. `gives`: words that follow “it lets JARVIS”. `command`: a shell line, run on a node, that adds
 * the rights.
 */
export const SetupChoice = z.object({
  name: z.string(),
  gives: z.string(),
  toolNames: z.array(z.string()),
  command: z.string(),
})
export type SetupChoice = z.infer<typeof SetupChoice>
/** `tools`: absent if no address answered. `fix`: a shell line, run on a node, that adds the missing rights. */
export const SetupTestReply = z.object({
  ok: z.boolean(),
  entries: z.array(z.object({ url: z.string(), version: z.string().optional(), problem: z.string().optional() })),
  nodes: z.array(z.object({ name: z.string(), isOnline: z.boolean().nullable() })),
  tools: z.array(SetupToolRights).optional(),
  /** Optional wider sets of rights that the token does not have. */
  choices: z.array(SetupChoice).optional(),
  fix: z.string().optional(),
})
export type SetupTestReply = z.infer<typeof SetupTestReply>
/** `savedTo`: the file that the next start reads. */
export const SetupSaveReply = z.object({ savedTo: z.string(), needsRestart: z.literal(true) })
export type SetupSaveReply = z.infer<typeof SetupSaveReply>
/**
 * `command`: a shell line, run on a node, that makes the role, user and token. `source`: the origin of the cluster's settings; settings from
 * `environment` (`.env` included) cannot be changed here. The token's secret is never sent.
 */
export const SetupReply = z.object({
  command: z.string(),
  /** Wider sets of rights than `command` gives, each with the shell line that adds it. */
  choices: z.array(SetupChoice),
  source: z.enum(['demo', 'environment', 'settings']),
  urls: z.array(z.string()),
  tokenId: z.string().optional(),
  fingerprints: z.array(z.string()),
})
export type SetupReply = z.infer<typeof SetupReply>

/** A line of the doctor. `area`: group heading, such as `Configuration`, `Cluster`, `Token`. `fix`: what to do. */
export const DoctorCheck = z.object({
  area: z.string(),
  health: z.enum(['ok', 'warn', 'bad']),
  text: z.string(),
  fix: z.string().optional(),
})
export type DoctorCheck = z.infer<typeof DoctorCheck>
/** `ok`: true if no check is bad. `at`: when the checks began, Unix ms. */
export const DoctorReply = z.object({
  ok: z.boolean(),
  at: z.number(),
  tookMs: z.number(),
  checks: z.array(DoctorCheck),
})
export type DoctorReply = z.infer<typeof DoctorReply>

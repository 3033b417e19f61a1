import { resolve } from 'node:path'
import { writeEnvFile } from '../config/env-file.ts'
import { pathOf } from '../config/path-of.ts'
import { variablesOf } from '../doctor/cluster-setup.ts'
import { readOptions } from './options.ts'
import { createQuestions, type Streams } from './questions.ts'
import { askCluster } from './setup-cluster.ts'
import { addKnownHosts, askMacs, askSsh, nodeList, readNodes } from './setup-nodes.ts'

const usage = `Usage: npm run jarvis -- setup [--url URL]… [--token-id ID] [--yes]

Connects your cluster: looks at its certificates, shows how to make the token, tries it, and writes .env. Whatever is not
given is asked for; nothing is written before the last question.

  --url URL                 an address of Proxmox; repeat it, or separate with commas
  --fingerprint SHA256      trust only these certificates
  --token-id ID             user@realm!name
  --token-secret-file FILE  else PVE_TOKEN_SECRET in the environment, or a line of standard input
  --ssh-user USER --ssh-key FILE | --no-ssh
  --nodes LIST              JARVIS_NODES: name=host[:sshport][@mac],…
  --yes                     answer every question with yes, shown certificates and host keys included
  --accept-missing          with --yes: write a token too that lacks rights, or whose rights cannot be read`

type Env = Record<string, string | undefined>

/**
 * `jarvis setup`: asks for the settings, tries them, and writes `.env` and known_hosts only at the end. @param parts.env the environment including
 * `.env`; `outside`: the environment without it
 */
export async function setup(
  parts: { env: Env; outside: Env; streams?: Streams; envPath?: string },
  args: string[],
): Promise<void> {
  const { values } = readOptions(args, {
    url: { type: 'string', multiple: true },
    fingerprint: { type: 'string', multiple: true },
    'token-id': { type: 'string' },
    'token-secret-file': { type: 'string' },
    'ssh-user': { type: 'string' },
    'ssh-key': { type: 'string' },
    'no-ssh': { type: 'boolean' },
    nodes: { type: 'string' },
    yes: { type: 'boolean' },
    'accept-missing': { type: 'boolean' },
    help: { type: 'boolean' },
  })
  const { env, outside, envPath = '.env' } = parts
  const isAsking = values.yes !== true
  const streams = parts.streams ?? {
    input: process.stdin,
    output: process.stdout,
    isTerminal: process.stdin.isTTY === true,
  }
  if (values.help === true) {
    streams.output.write(`${usage}\n`)
    return
  }
  const known = readNodes(values.nodes ?? env.JARVIS_NODES ?? '')
  const knownHostsPath = pathOf(env.SSH_KNOWN_HOSTS || '~/.ssh/known_hosts')
  const questions = createQuestions(streams)
  try {
    const { cluster, seen } = await askCluster(
      questions,
      {
        urls: values.url ?? [],
        fingerprints: values.fingerprint ?? [],
        tokenId: values['token-id'],
        secretFile: values['token-secret-file'],
        isAsking,
        acceptsMissing: values['accept-missing'] === true,
      },
      env,
    )
    if (isAsking && values.nodes === undefined) await askMacs(questions, seen.nodes, known)
    const given = { user: values['ssh-user'], key: values['ssh-key'], isAsking }
    const ssh =
      values['no-ssh'] === true
        ? undefined
        : await askSsh(questions, given, { env, nodes: seen.nodes, known, knownHostsPath })
    const changes = {
      ...variablesOf(cluster),
      ...(known.size > 0 && { JARVIS_NODES: nodeList(known) }),
      ...(ssh !== undefined && { SSH_USER: ssh.user, SSH_KEY_PATH: ssh.keyPath }),
    }
    const path = resolve(envPath)
    const names = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]))
    if (isAsking && !(await questions.confirm(`\nWrite ${names.join(', ')} to ${path}?`, true))) {
      questions.say('Nothing was changed.')
      return
    }
    questions.signal.throwIfAborted()
    writeEnvFile(path, changes)
    addKnownHosts(knownHostsPath, ssh?.lines ?? [])
    questions.say(`Written to ${path}. Restart JARVIS to use it; npm run jarvis -- doctor checks the rest.`)
    for (const name of Object.keys(changes)) {
      if (outside[name]) questions.say(`! ${name} is also set in the environment, which counts before .env.`)
    }
  } finally {
    questions.close()
  }
}

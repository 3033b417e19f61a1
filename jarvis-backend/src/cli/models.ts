import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { firstOf } from 'node-kit/words'
import {
  isVariableProvider,
  JarvisError,
  type ModelFallback,
  ModelKind,
  ModelProvider,
  type ModelsReply,
  ProviderBody,
} from 'protocol'
import { modelWords } from 'protocol/facts'
import type { Settings } from '../auth/password.ts'
import type { Config } from '../config/config.ts'
import { idOf } from '../config/model.ts'
import { ModelSetup, presets } from '../doctor/model-setup.ts'
import { knownHere, LearnedStore } from '../providers/index.ts'
import { SqliteSettings } from '../store/sqlite/settings.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'
import { createQuestions } from './questions.ts'

const usage = `Use models, or one of:
  models presets                                  known services
  models add NAME --preset ID --models A,B        add or change a provider; asks for its key
             --kind KIND --url URL                in place of a preset, or beside it
             --key-file FILE | --no-key           in place of the question
             --header-file FILE                   further headers, a line each: Name: value
  models test NAME[/MODEL]                        one short question, which costs a few tokens
  models use NAME/MODEL                           it answers from the next message on
  models remove NAME                              with its key
  models fallback MODEL NEXT… [--consent NEXT]    what answers where MODEL fails, in order; none: nothing`

/** `jarvis models`: lists, adds, tries, chooses and removes providers. A running server applies a change at once. */
export async function models(
  config: Config,
  {
    positionals,
    values,
  }: Input<{
    preset?: string
    kind?: string
    url?: string
    models?: string
    'key-file'?: string
    'no-key'?: boolean
    'header-file'?: string
    consent?: string[]
  }>,
  say: (text: string) => void = console.log,
): Promise<void> {
  const [action = 'list', name = '', ...rest] = positionals
  let settings: Settings | undefined
  const setup = new ModelSetup({
    config,
    clock: systemClock,
    apply: () => {},
    factsOf: (model) => knownHere(config, settings, say)(model),
    // Some servers refused tools before. After its provider is saved, such a server is sent tools again.
    forget(of) {
      if (settings === undefined) return
      new LearnedStore({ settings, clock: systemClock, redact: (text) => text, leftOut: () => {} }).forget(of)
    },
  })
  /** Saves a change and its journal entry. */
  const change = (body: Record<string, unknown>, work: () => void) =>
    withData(config, (journal, database) => {
      settings = new SqliteSettings(database)
      database.durably(() => {
        journal.append('setup', { by: 'cli', ...body })
        work()
      })
      say('Done.')
    })

  switch (action) {
    case 'list':
      if (!existsSync(join(config.dataDir, 'jarvis.db'))) return say(listed(setup.current(), config))
      // The database holds the facts that the models' servers reported, so the list includes them.
      return withData(config, (_journal, database) => {
        settings = new SqliteSettings(database)
        say(listed(setup.current(), config))
      })
    case 'presets':
      for (const { id, title, kind, baseUrl, note } of presets)
        say(`${id.padEnd(15)} ${title}, ${kind}, ${baseUrl}${note === undefined ? '' : `\n${' '.repeat(16)}${note}`}`)
      return
    case 'add': {
      const provider = nameOf(name)
      const body = await providerBody(provider, values, async (server) => {
        const { models: served, text } = await setup.test(provider, server, new AbortController().signal)
        return served === undefined ? text : `It serves ${firstOf(served, mostListed)}.`
      })
      const { kind, baseUrl, models: names, headers } = body
      const saved = {
        change: 'provider_saved',
        provider,
        kind,
        models: names,
        baseUrl,
        hasNewKey: body.apiKey !== undefined,
      }
      await change({ ...saved, ...(headers && { headers: Object.keys(headers) }) }, () =>
        setup.saveNamed(provider, body),
      )
      return
    }
    case 'test': {
      const [, provider = '', asked] = /^([^/]+)(?:\/(.+))?$/.exec(name) ?? []
      const known = setup.current().providers.find((one) => one.provider === provider && one.source !== 'none')
      if (known === undefined) throw new JarvisError('not_found', `There is no provider ${provider}. ${usage}`)
      const { baseUrl, model } = known
      const body = { model: asked ?? model, baseUrl }
      const { verdict, text: said, tookMs } = await setup.test(provider, body, new AbortController().signal)
      say(verdict === 'works' ? `${said} It took ${(tookMs / 1000).toFixed(1)} s.` : said)
      if (verdict !== 'works') process.exitCode = 1
      return
    }
    case 'use':
      await change({ change: 'model_used', model: name }, () => setup.use(name))
      return
    case 'remove': {
      const provider = nameOf(name)
      await change({ change: 'model_forgotten', provider }, () => setup.forget(provider))
      return
    }
    case 'fallback': {
      if (name === '' || rest.length === 0) throw new JarvisError('invalid_request', usage)
      const others = setup.current().fallbacks.filter(({ model }) => model !== name)
      const { consent: consented } = values
      const own: ModelFallback = { model: name, then: rest, consented }
      const fallbacks = rest.join() === 'none' ? others : [...others, own]
      await change({ change: 'model_fallbacks', fallbacks }, () => setup.fallBack(fallbacks))
      return
    }
    default:
      throw new JarvisError('invalid_request', usage)
  }
}

type Values = Partial<Record<'preset' | 'kind' | 'url' | 'models' | 'key-file' | 'header-file', string>> & {
  'no-key'?: boolean
}

/** Maximum number of models of one server that are listed. */
const mostListed = 100

/**
 * @param ask returns the models that a server serves, or the reason why it does not list them @throws JarvisError `invalid_request` that names the
 * missing value
 */
async function providerBody(
  provider: string,
  values: Values,
  ask: (server: Omit<ProviderBody, 'models'>) => Promise<string>,
): Promise<ProviderBody> {
  const preset = presets.find(({ id }) => id === values.preset)
  if (values.preset !== undefined && preset === undefined)
    throw new JarvisError(
      'invalid_request',
      `There is no preset ${values.preset}. There are: ${presets.map(({ id }) => id).join(', ')}.`,
    )
  const kind = ModelKind.safeParse(values.kind ?? preset?.kind)
  const baseUrl = values.url ?? preset?.baseUrl
  const names = (values.models ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
  if (!kind.success) throw new JarvisError('invalid_request', `--kind must be one of ${ModelKind.options.join(', ')}.`)
  if (baseUrl === undefined) throw new JarvisError('invalid_request', '--url or --preset is needed.')
  const apiKey =
    values['no-key'] === true ? undefined : await keyFor(provider, values['key-file'], preset?.key !== 'needed')
  const headerFile = values['header-file']
  const headers = headerFile === undefined ? undefined : headersIn(readFileSync(headerFile, 'utf8'))
  const parsed = ProviderBody.safeParse({
    kind: kind.data,
    baseUrl,
    models: names.length === 0 ? ['any'] : names,
    apiKey,
    headers,
  })
  if (parsed.success && names.length > 0) return parsed.data
  if (parsed.success) {
    const { models: _, ...server } = parsed.data
    const example = preset === undefined ? '' : `, for example --models ${preset.example}`
    throw new JarvisError('invalid_request', `--models is needed${example}. ${await ask(server)} Nothing was saved.`)
  }
  const [issue] = parsed.error.issues
  throw new JarvisError('invalid_request', `${issue?.path.join('.')}: ${issue?.message}`)
}

/** Reads the key from a file, a person or a pipe; never from an argument, which other users of the machine can read. */
async function keyFor(provider: string, file: string | undefined, mayBeNone: boolean): Promise<string | undefined> {
  if (file !== undefined) return readFileSync(file, 'utf8').trim() || undefined
  const questions = createQuestions({
    input: process.stdin,
    output: process.stderr,
    isTerminal: process.stdin.isTTY === true,
  })
  try {
    const typed = await questions.askSecret(
      `Key of ${provider}${mayBeNone ? ' (empty: none, or the one before)' : ' (empty: the one before)'}`,
    )
    return typed === '' ? undefined : typed
  } finally {
    questions.close()
  }
}

/** @throws JarvisError `invalid_request` */
function headersIn(lines: string): Record<string, string> {
  const pairs = lines.split(/\r?\n/).flatMap((line) => {
    if (line.trim() === '') return []
    const [, name, value] = /^([^:\s]+):(.+)$/.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw new JarvisError('invalid_request', 'A line of the headers is not written as Name: value.')
    return [[name, value.trim()]]
  })
  return Object.fromEntries(pairs)
}

function nameOf(given: string): string {
  const parsed = ModelProvider.safeParse(given)
  if (!parsed.success)
    throw new JarvisError('invalid_request', `The name ${parsed.error.issues[0]?.message}.\n${usage}`)
  if (isVariableProvider(given))
    throw new JarvisError(
      'invalid_request',
      `${given} is set in .env or the dashboard. Give the provider another name.`,
    )
  return given
}

const keyWords = (keyEnd: string | undefined, keyName: string | undefined): string =>
  keyName !== undefined
    ? `key ${keyName}`
    : keyEnd === undefined
      ? 'no key'
      : keyEnd === ''
        ? 'key kept'
        : `key ends in ${keyEnd}`

function listed({ inUse, providers, fallbacks, facts: known }: ModelsReply, config: Config): string {
  const lines = providers.flatMap(
    ({ provider, kind, source, model, models: names = [model], baseUrl, keyEnd, keyName, headers }) => {
      if (source === 'none') return []
      const facts = [
        ...[kind, baseUrl ?? 'its own address', keyWords(keyEnd, keyName)],
        ...(headers === undefined ? [] : [`headers ${headers.join(', ')}`]),
        ...(source === 'environment' ? ['set in the environment'] : []),
      ]
      const ids = names.map((one) => `${provider}/${one}`)
      return [
        `${provider}  ${facts.join(', ')}`,
        ...ids.map((id) => `  ${id}${id === inUse ? '  in use' : ''}  ${modelWords(known[id] ?? {})}`),
      ]
    },
  )
  const rules = fallbacks.map(({ model, then }) => `Where ${model} fails: ${then.join(', then ')}`)
  const first = config.models[0]
  const none = `No provider is configured; ${first === undefined ? 'the demo' : idOf(first)} answers.`
  return [...(lines.length === 0 ? [none] : lines), ...rules].join('\n')
}

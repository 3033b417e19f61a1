import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import {
  isVariableProvider,
  JarvisError,
  ModelFallback,
  ModelHeaders,
  ModelKey,
  ModelProvider,
  ProviderBody,
} from 'protocol'
import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { type Fill, filled } from './fillers.ts'
import { type Opener, openLeaves, type Sealing, sealLeaves } from './sealing.ts'
import { modelLeaves } from './secret-leaves.ts'

const SavedProvider = ProviderBody.omit({ apiKey: true, headers: true }).extend({
  name: ModelProvider.refine((name) => !isVariableProvider(name), 'is set by environment variables or settings.env'),
  key: ModelKey.optional(),
  headers: ModelHeaders.optional(),
})
export type SavedProvider = z.output<typeof SavedProvider>

const mostProviders = 50
const ModelsFile = z.strictObject({
  version: z.literal(1),
  providers: z
    .array(SavedProvider)
    .max(mostProviders, `there may be ${mostProviders} providers at most`)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two providers have one name')
    .default([]),
  fallbacks: z.array(ModelFallback).max(50).default([]),
})
export type ModelsFile = z.output<typeof ModelsFile>
export const noModelsFile: ModelsFile = { version: 1, providers: [], fallbacks: [] }

/** A provider whose `${…}` are filled in. `unfilled`: why one of them has no value, a sentence. */
export type FilledProvider = SavedProvider & { unfilled?: string }
/** The file as models use it. It is never written: what is filled in stays where it was saved. */
export type FilledModels = Omit<ModelsFile, 'providers'> & { providers: FilledProvider[] }

/** Fills in the keys and headers of all providers. */
export const filledModels = (file: ModelsFile, fill: Fill): FilledModels => ({
  ...file,
  providers: file.providers.map((provider) => filledProvider(provider, fill)),
})

const filledProvider = ({ key, headers, ...rest }: SavedProvider, fill: Fill): FilledProvider => ({
  ...rest,
  ...filledServer({ key, headers }, fill),
})

type KeyAndHeaders = Partial<Pick<FilledProvider, 'key' | 'headers' | 'unfilled'>>

/** Fills in the key and headers of a model's server. A text with a missing value is left out, because `${…}` is never sent. */
export function filledServer({ key, headers }: Pick<SavedProvider, 'key' | 'headers'>, fill: Fill): KeyAndHeaders {
  const missing: string[] = []
  const fillIn = (text: string) => {
    const done = filled(text, fill)
    missing.push(...done.missing)
    return done.missing.length === 0 ? done.text : undefined
  }
  const server: KeyAndHeaders = {}
  if (key !== undefined) server.key = fillIn(key)
  if (headers !== undefined)
    server.headers = Object.fromEntries(
      Object.entries(headers).flatMap(([name, text]) => {
        const value = fillIn(text)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  if (missing.length > 0) server.unfilled = `${missing.join('. ')}.`
  return server
}

/** The file of named providers, with their sealed keys. */
export const modelsPath = (dataDir: string): string => join(dataDir, 'models.json')

/** Reads the named providers; a data dir without the file has none. @throws ConfigError that describes the mistake in the file */
export function readModelsFile(dataDir: string, open: Opener): ModelsFile {
  const value = opened(dataDir, open)
  const parsed = ModelsFile.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ConfigError(`${modelsPath(dataDir)} cannot be used: ${faultOf(parsed.error)}. ${mendIt}`)
}

/** The part of the file that a start can use, and the faults of the rest. `isFirstLost`: the provider that would answer cannot be used. */
export type ReadableModels = { file: FilledModels; problems: string[]; isFirstLost: boolean }
export const noModels: ReadableModels = { file: noModelsFile, problems: [], isFirstLost: false }

/** As `readModelsFile`, but a fault only removes its own provider and never stops the start. @throws ConfigError if a secret cannot be opened */
export function readableModels(dataDir: string, open: Opener): ReadableModels {
  const path = modelsPath(dataDir)
  let value: unknown
  try {
    value = opened(dataDir, open)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return { file: noModelsFile, problems: [error.message], isFirstLost: true }
  }
  const whole = ModelsFile.safeParse(value)
  if (whole.success) return { file: whole.data, problems: [], isFirstLost: false }
  const given = Loose.safeParse(value)
  if (!given.success)
    return {
      file: noModelsFile,
      problems: [`${path} cannot be used: ${faultOf(whole.error)}. ${mendIt}`],
      isFirstLost: true,
    }
  const problems: string[] = []
  const providers: SavedProvider[] = []
  let isFirstLost = false
  for (const [at, one] of given.data.providers.entries()) {
    const parsed = SavedProvider.safeParse(one)
    const isNew = parsed.success && providers.every(({ name }) => name !== parsed.data.name)
    if (isNew && providers.length < mostProviders) providers.push(parsed.data)
    else {
      isFirstLost ||= at === 0
      const why = !parsed.success
        ? faultOf(parsed.error)
        : isNew
          ? `there may be ${mostProviders} at most`
          : 'its name stands twice'
      problems.push(`${path}: provider ${at + 1} is not used: ${why}. ${mendIt}`)
    }
  }
  const fallbacks = z.array(ModelFallback).max(50).safeParse(given.data.fallbacks)
  if (!fallbacks.success) problems.push(`${path}: no fallback is used: ${faultOf(fallbacks.error)}. ${mendIt}`)
  if (problems.length === 0) problems.push(`${path} is used in part: ${faultOf(whole.error)}. ${mendIt}`)
  return { file: { version: 1, providers, fallbacks: fallbacks.data ?? [] }, problems, isFirstLost }
}

/** The form of the file in which the lists are not checked yet. */
const Loose = z.object({
  version: z.literal(1),
  providers: z.array(z.unknown()).default([]),
  fallbacks: z.unknown().default([]),
})
const mendIt = 'Correct it, or move it away and add the providers again.'

function faultOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'it'}: ${issue?.message}`
}

/** The file cannot be read, or is not JSON. */
class UnreadableFile extends ConfigError {}

function opened(dataDir: string, open: Opener): unknown {
  const path = modelsPath(dataDir)
  if (!existsSync(path)) return noModelsFile
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'not JSON'
    throw new UnreadableFile(`${path} cannot be read (${why}). ${mendIt}`)
  }
  openLeaves(modelLeaves(value), open)
  return value
}

/**
 * Replaces the file, with keys and headers sealed. @throws JarvisError `conflict` if they cannot be sealed, `invalid_request` if the written file
 * could not be read again
 */
export function writeModelsFile(of: Sealing, file: ModelsFile): void {
  const parsed = ModelsFile.safeParse(file)
  if (!parsed.success) throw new JarvisError('invalid_request', `${faultOf(parsed.error)}. Nothing was changed.`)
  const written = structuredClone(file)
  sealLeaves(modelLeaves(written), of)
  writeWhole(modelsPath(of.dataDir), `${JSON.stringify(written, undefined, 2)}\n`)
}

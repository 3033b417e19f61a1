import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../lib/whole-file.ts'
import { isVariableProvider, ModelFallback, ModelHeaders, ModelProvider, ProviderBody } from '../protocol/index.ts'
import { ConfigError } from './config-error.ts'
import { type Opener, openLeaves, type Sealing, sealLeaves } from './sealing.ts'
import { modelLeaves } from './secret-leaves.ts'

const SavedProvider = ProviderBody.omit({ apiKey: true, headers: true }).extend({
  name: ModelProvider.refine((name) => !isVariableProvider(name), 'is set by environment variables or settings.env'),
  key: z.string().min(1).max(2_000).optional(),
  headers: ModelHeaders.optional(),
})
export type SavedProvider = z.output<typeof SavedProvider>

const ModelsFile = z.strictObject({
  version: z.literal(1),
  providers: z
    .array(SavedProvider)
    .max(50)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two providers have one name')
    .default([]),
  fallbacks: z.array(ModelFallback).max(50).default([]),
})
export type ModelsFile = z.output<typeof ModelsFile>
export const noModelsFile: ModelsFile = { version: 1, providers: [], fallbacks: [] }

/** The file of named providers, with their sealed keys. */
export const modelsPath = (dataDir: string): string => join(dataDir, 'models.json')

/** Reads the named providers; a data dir without the file has none. @throws ConfigError that says what is wrong with the file */
export function readModelsFile(dataDir: string, open: Opener): ModelsFile {
  const path = modelsPath(dataDir)
  if (!existsSync(path)) return noModelsFile
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'not JSON'
    throw new ConfigError(`${path} cannot be read (${why}). Correct it, or move it away and add the providers again.`)
  }
  openLeaves(modelLeaves(value), open)
  const parsed = ModelsFile.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new ConfigError(
    `${path} cannot be used: ${issue?.path.join('.') || 'it'}: ${issue?.message}. Correct it, or move it away and add the providers again.`,
  )
}

/** Writes the file at once, with keys and headers sealed. @throws JarvisError `conflict` where they cannot be sealed */
export function writeModelsFile(of: Sealing, file: ModelsFile): void {
  const written = structuredClone(file)
  sealLeaves(modelLeaves(written), of)
  writeWhole(modelsPath(of.dataDir), `${JSON.stringify(written, undefined, 2)}\n`)
}

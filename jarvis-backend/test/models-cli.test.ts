import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../src/cli/commands.ts'
import { models } from '../src/cli/models.ts'
import { readOptions } from '../src/cli/options.ts'
import { readStartConfig } from '../src/config/settings-file.ts'
import { folder } from './support/data-dir.ts'
import { startModelServer } from './support/model-server.ts'
import { startJarvis } from './support/start-jarvis.ts'

const inputOf = (args: string[]) =>
  readOptions(args, commands.get('models')?.options ?? {}) as Parameters<typeof models>[1]

test('providers are added, tried, chosen and removed on the command line, and a running server takes them up', async () => {
  const key = 'sk-test-0123456789-wxyz'
  const server = await startModelServer({ key, model: 'qwen3:14b', says: 'ready' })
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir, env: { JARVIS_EMBEDDINGS: 'none' } })
  const keyFile = join(dataDir, 'key.txt')
  writeFileSync(keyFile, `${key}\n`)
  const headerFile = join(dataDir, 'headers.txt')
  writeFileSync(headerFile, 'X-Team: home\n')
  const run = async (...args: string[]) => {
    const lines: string[] = []
    await models(readStartConfig({ JARVIS_DATA_DIR: dataDir }), inputOf(args), (line) => lines.push(line))
    return lines.join('\n')
  }
  expect(await run()).toBe('No provider is configured; demo answers.')
  expect(await run('presets')).toContain('Azure OpenAI, openai-responses, https://NAME.openai.azure.com')

  const add = ['add', 'gpu', '--preset', 'ollama', '--url', server.url, '--models', 'qwen3:14b,qwen3:32b']
  await run(...add, '--key-file', keyFile, '--header-file', headerFile)
  const unnamed = ['add', 'lab', '--kind', 'openai-chat', '--url', server.url, '--key-file', keyFile]
  await expect(run(...unnamed)).rejects.toThrow('--models is needed. It serves qwen3:14b. Nothing was saved.')
  expect(await run()).not.toContain('lab')
  expect(statSync(join(dataDir, 'models.json')).mode & 0o777).toBe(0o600)
  expect(await run('test', 'gpu')).toContain('qwen3:14b answers.')
  expect(server.asked.at(-1)?.headers).toMatchObject({ 'x-team': 'home' })
  await run('add', 'work', '--preset', 'openai', '--models', 'gpt-5.4', '--key-file', keyFile)
  await run('use', 'gpu/qwen3:32b')
  await expect(run('fallback', 'gpu/qwen3:14b', 'work/gpt-5.4')).rejects.toThrow(/Consent to work\/gpt-5\.4/)
  await run('fallback', 'gpu/qwen3:14b', 'work/gpt-5.4', '--consent', 'work/gpt-5.4')
  expect(await run()).toBe(
    [
      `gpu  openai-chat, ${server.url}, key ends in wxyz, headers X-Team`,
      '  gpu/qwen3:14b  tools; not known: pictures, thinking, window, price',
      '  gpu/qwen3:32b  in use  tools; not known: pictures, thinking, window, price',
      'work  openai-responses, https://api.openai.com/v1, key ends in wxyz',
      '  work/gpt-5.4  tools; pictures; thinking; reads 272,000 tokens; $2.50 in and $15.00 out for a million',
      'Where gpu/qwen3:14b fails: work/gpt-5.4',
    ].join('\n'),
  )
  const inUse = async () => ((await (await jarvis.rest('/api/status')).json()) as { model: string }).model
  await expect.poll(inUse, { timeout: 10_000 }).toBe('gpu/qwen3:32b')
  await run('remove', 'gpu')
  await expect.poll(inUse, { timeout: 10_000 }).toBe('work/gpt-5.4')
  expect(await run()).not.toContain('gpu')
  const journal = await (await jarvis.rest('/api/journal?kind=setup')).text()
  for (const change of ['provider_saved', 'model_used', 'model_fallbacks', 'model_forgotten'])
    expect(journal).toContain(change)
  expect(journal).not.toContain(key)
})

test.each([
  [['add', 'Mine'], 'small letters'],
  [['add', 'openai', '--no-key'], 'Give the provider another name'],
  [['add', 'mine', '--preset', 'watson'], 'There is no preset watson. There are: claude, openai, azure'],
  [['add', 'mine', '--preset', 'ollama', '--no-key'], '--models is needed, for example --models qwen3:14b'],
  [['add', 'mine', '--models', 'a', '--no-key'], '--kind must be one of'],
  [['add', 'mine', '--kind', 'anthropic', '--models', 'a', '--no-key'], '--url or --preset is needed'],
  [['add', 'mine', '--key', 'sk-1'], 'There is no --key; there are'],
  [['add', 'az', '--preset', 'azure', '--models', 'a', '--no-key'], 'Put your own NAME into the address'],
  [['test', 'nowhere'], 'There is no provider nowhere'],
  [['use', 'nowhere/m'], 'there is no provider nowhere'],
  [['remove', 'nowhere'], 'There is no provider nowhere'],
  [['fly'], 'Use models, or one of'],
])('models %j is refused with what to do', async (args, fault) => {
  const config = readStartConfig({ JARVIS_DATA_DIR: folder() })
  await expect((async () => models(config, inputOf([...args]), () => {}))()).rejects.toThrow(fault)
})

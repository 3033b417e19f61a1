#!/usr/bin/env node
import './node-release.js'
import './keep-compiled.js'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildServer } from './build.js'

const root = fileURLToPath(new URL('..', import.meta.url))

// Linked as a global command, it is started anywhere; the settings of this copy of JARVIS count there too.
const settings = join(root, '.env')
if (resolve() !== resolve(root) && existsSync(settings)) process.loadEnvFile(settings)
await buildServer()
await import('../jarvis-backend/dist/cli.js')

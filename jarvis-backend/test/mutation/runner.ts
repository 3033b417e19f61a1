import { appendFileSync, readFileSync } from 'node:fs'
import { startTests } from '@vitest/runner'
import { VitestTestRunner } from 'vitest/runners'
import type { Work } from './work.ts'

type Module = { id: string; importers: Set<string>; promise?: unknown; exports?: unknown; evaluated: boolean }
/** The parts of Vitest's runner that its types leave out. */
type Inner = {
  workerState: { evaluatedModules: { idToModuleMap: Map<string, Module> } }
  moduleRunner: unknown
  _otel: unknown
}
type Failable = { result?: { state?: string } }

/** The mutant that is awake, and those that the present file of tests reaches while none is. */
let awake: number | undefined
const reached = new Set<number>()
Object.assign(globalThis, {
  isMutant(id: number) {
    if (awake === undefined) reached.add(id)
    return id === awake
  },
})

/** Runs files of tests for one mutant, tells nobody, and stops at the first test that fails. */
class Quiet extends VitestTestRunner {
  override onAfterRunTask(test: Parameters<VitestTestRunner['onAfterRunTask']>[0]) {
    super.onAfterRunTask(test)
    if ((test as Failable).result?.state === 'fail') this.cancel('test-failure')
  }
}

/**
 * After the first file of tests: wakes one mutant after the other in this process and runs the tests that reach it. Each line of the report
 * is written at once, so that a mutant that never ends is known when this process is stopped.
 */
// biome-ignore lint/style/noDefaultExport: Vitest takes the default export as its runner.
export default class MutationRunner extends VitestTestRunner {
  #isDone = false

  override async onAfterRunFiles() {
    super.onAfterRunFiles()
    if (this.#isDone) return
    this.#isDone = true
    const work = JSON.parse(readFileSync(process.env.JARVIS_MUTATION_WORK ?? '', 'utf8')) as Work
    const tell = (line: object) => appendFileSync(work.report, `${JSON.stringify(line)}\n`)
    const reaching = await this.#lookAt(work.tests, tell)
    for (const id of work.mutants) {
      const tests = reaching.filter((one) => one.reached.has(id)).map(({ test }) => test)
      const file = work.files.findLast(({ first }) => first <= id)?.file
      if (file === undefined) throw new Error(`No file holds the mutant ${id}.`)
      tell({ begun: id })
      awake = id
      const isKilled = await this.#fails(tests, file)
      awake = undefined
      tell({ ended: id, isKilled, isReached: tests.length > 0 })
    }
    tell({ done: true })
  }

  /** Runs all files of tests as they are. @returns the mutants that each reaches, the quickest file first. @throws Error if one fails */
  async #lookAt(tests: readonly string[], tell: (line: object) => void) {
    const looks = []
    for (const test of tests) {
      this.#forget('')
      reached.clear()
      const startedAt = performance.now()
      if (await this.#run([test])) throw new Error(`${test} fails without a mutant.`)
      tell({ looked: test })
      looks.push({ test, ms: performance.now() - startedAt, reached: new Set(reached) })
    }
    return looks.sort((a, b) => a.ms - b.ms)
  }

  async #fails(tests: readonly string[], file: string): Promise<boolean> {
    for (const test of tests) {
      this.#forget(file)
      if (await this.#run([test])) return true
    }
    return false
  }

  /** @returns whether one fails */
  async #run(tests: string[]): Promise<boolean> {
    const quiet = new Quiet(this.config)
    const [own, theirs] = [quiet as unknown as Inner, this as unknown as Inner]
    Object.assign(own, { moduleRunner: theirs.moduleRunner, _otel: theirs._otel })
    const files = await startTests(tests, quiet)
    return files.some(({ result }) => result?.state === 'fail')
  }

  /** Has the modules that import a file evaluated again, and the file itself. Without a name: all of the house's. */
  #forget(file: string) {
    const modules = (this as unknown as Inner).workerState.evaluatedModules.idToModuleMap
    const gone = new Set<string>()
    const forget = (id: string) => {
      const module = modules.get(id)
      if (module === undefined || gone.has(id)) return
      gone.add(id)
      for (const importer of this.#importersOf(id, module)) forget(importer)
    }
    for (const id of modules.keys()) if (!id.includes('/node_modules/') && id.endsWith(file)) forget(id)
    for (const id of gone) {
      const module = modules.get(id)
      if (module !== undefined) Object.assign(module, { promise: undefined, exports: undefined, evaluated: false })
    }
  }

  /** All modules that ever imported a module: one that is not evaluated again forgets whom it imports. */
  readonly #importers = new Map<string, Set<string>>()
  #importersOf(id: string, { importers }: Module): Set<string> {
    const all = this.#importers.get(id) ?? new Set()
    for (const importer of importers) all.add(importer)
    this.#importers.set(id, all)
    return all
  }
}

import { programs } from './test-programs.js'

/** Names and counts, at the end of a run, the tests that a missing program kept from running. In CI one of them fails the run. */
export class SkipsReporter {
  onTestRunEnd(modules) {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')].map(({ name }) => name))
    for (const [program, { install }] of Object.entries(programs)) {
      const names = skipped.filter((name) => name.endsWith(`[needs ${program}]`))
      if (names.length === 0) continue
      for (const name of names) console.log(` skipped: ${name}`)
      console.log(` ${names.length} skipped without ${program}. To run them: ${install}.`)
      if (process.env.CI === 'true') {
        console.error(' In CI every test must run, so this run failed.')
        process.exitCode = 1
      }
    }
  }
}

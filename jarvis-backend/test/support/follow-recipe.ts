import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin, type PluginBuild } from 'esbuild'
import { expect, onTestFinished } from 'vitest'

const backend = fileURLToPath(new URL('../../', import.meta.url))
/** Packages that are not built here: those of npm. The workspaces are TypeScript. */
const foreign = Object.entries(
  (JSON.parse(readFileSync(join(backend, 'package.json'), 'utf8')) as { dependencies: Record<string, string> })
    .dependencies,
).flatMap(([name, version]) => (version.startsWith('file:') ? [] : [name]))
const page = readFileSync(new URL('../../../docs/extending.md', import.meta.url), 'utf8')

/** A recipe of `docs/extending.md`: the code blocks of its steps in order, and the file that the first step names. */
export function recipeOf(heading: string): { path: string; file: string; blocks: readonly string[] } {
  const [, section = ''] = new RegExp(`^## ${heading}\\n(.*?)(?=^## |$(?![^]))`, 'ms').exec(page) ?? []
  const [file = '', ...blocks] = [...section.matchAll(/^ *```ts\n(.*?)^ *```/gms)].map(([, code = '']) =>
    code.replace(/^ {3}/gm, ''),
  )
  const [, path = ''] = /`jarvis-backend\/(src\/[\w/-]+\.ts)`/.exec(section) ?? []
  return { path, file, blocks }
}

/** The text of a file beside the recipe's test, with its imports as they are at the place that the recipe names, and without exceptions from lint. */
export function besideTest(name: string, imports: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(backend, 'test/recipes', name), 'utf8').replace(/^ *\/\/ biome-ignore .*\n/gm, '')
  return Object.entries(imports).reduce((all, [from, to]) => all.replaceAll(`'${from}`, `'${to}`), text)
}

/** A recipe to follow: its heading, the file that gets its block, and the text after which the list's lines go. */
export type Followed = { heading: string; path: string; after: string }

/**
 * Builds JARVIS as it is once somebody has followed recipes of one file, and a block that registers it: an import, an empty line, and lines for the
 * list.
 * @param recipes no two of them register in the same file
 * @param entry the source of the program to build, relative to `src`
 * @param atEnd takes what removes the build; absent: it ends with the test
 * @returns what `entry` exports
 */
export async function followRecipes<Exports>(
  recipes: readonly Followed[],
  entry: string,
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<Exports> {
  const followed: Plugin = {
    name: 'recipe',
    setup(builder) {
      for (const recipe of recipes) follow(builder, recipe)
    },
  }
  const outdir = mkdtempSync(join(backend, '.staged-recipe-'))
  atEnd(() => rmSync(outdir, { recursive: true }))
  await build({
    stdin: { contents: entry, resolveDir: join(backend, 'src'), sourcefile: 'recipe.ts', loader: 'ts' },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // A command loads only what it needs, as in the product.
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: foreign,
    plugins: [followed],
  })
  return (await import(pathToFileURL(join(outdir, 'stdin.mjs')).href)) as Exports
}

/** As `followRecipes`, for one. */
export const followRecipe = <Exports>(heading: string, register: Omit<Followed, 'heading'>, entry: string) =>
  followRecipes<Exports>([{ heading, ...register }], entry)

function follow(builder: PluginBuild, { heading, path: registryPath, after }: Followed): void {
  const { path, file, blocks } = recipeOf(heading)
  const [imported = '', listed = ''] = (blocks[0] ?? '').split('\n\n')
  const added = join(backend, path)
  const registry = join(backend, registryPath)
  // Narrow filters: esbuild asks this process about each file that matches.
  builder.onResolve({ filter: endOf(added) }, ({ path: asked, resolveDir }) =>
    resolve(resolveDir, asked) === added ? { path: added } : undefined,
  )
  builder.onLoad({ filter: new RegExp(`${endOf(added).source}|${endOf(registry).source}`) }, ({ path: loaded }) => {
    if (loaded === added) return { contents: absolute(file, added), loader: 'ts', resolveDir: backend }
    if (loaded !== registry) return undefined
    const text = readFileSync(registry, 'utf8')
    expect(text.split(after)).toHaveLength(2)
    return { contents: `${imported}\n${text.replace(after, after + listed)}`, loader: 'ts' }
  })
}

/** Replaces each relative import by its path, because esbuild resolves none from a folder that does not exist. */
const absolute = (code: string, path: string) =>
  code.replace(/ from '(\.{1,2}\/[^']+)'/g, (_, to: string) => ` from '${join(dirname(path), to)}'`)

const endOf = (path: string) => new RegExp(`/${basename(path).replace('.', '\\.')}$`)

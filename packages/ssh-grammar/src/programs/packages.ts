import type { Grammar } from '../grammar.ts'
import { format, text, word } from '../patterns.ts'

const none: Grammar = {}
const packageName = /^[A-Za-z0-9][\w.+:-]*$/
const somePackages: Grammar = { rest: packageName, min: 1 }
const packageChanges = Object.fromEntries(
  'install remove purge upgrade full-upgrade dist-upgrade autoremove reinstall satisfy'
    .split(' ')
    .map((verb) => [verb, 'changes packages']),
)
const queries =
  '-l -s -L -S -V -C --list --status --listfiles --search --verify --audit --print-architecture --print-foreign-architectures --get-selections'.split(
    ' ',
  )

const dryRun = ['-s', '--simulate', '--dry-run', '--just-print']
const simulated: Grammar = { needs: [dryRun] }

/** Programs that show packages. */
export const packagePrograms: Readonly<Record<string, Grammar>> = {
  dpkg: {
    words: queries,
    needs: [queries],
    rest: /^[A-Za-z0-9/*][\w.+:/*@-]*$/,
  },
  'dpkg-query': {
    words: ['-W', '-l', '-s', '-L', '--show', '--list'],
    values: { '-f': format, '--showformat': format },
    needs: [['-W', '-l', '-s', '-L', '--show', '--list']],
    rest: /^[A-Za-z0-9*][\w.+:*-]*$/,
  },
  apt: {
    words: [...dryRun, '-q', '-V'],
    shared: true,
    sub: {
      ...Object.fromEntries(['upgrade', 'full-upgrade', 'dist-upgrade', 'autoremove'].map((verb) => [verb, simulated])),
      list: {
        words: ['--installed', '--upgradable', '--upgradeable', '-a', '--all-versions', '--manual-installed'],
        rest: /^(?:[A-Za-z0-9*][\w.+:*-]*|\?[a-z-]+(?:\([\w.+-]*\))?)$/,
      },
      show: { words: ['-a'], rest: /^[A-Za-z0-9][\w.+:-]*$/, min: 1 },
      policy: { rest: packageName },
      search: { words: ['-n', '--names-only'], rest: text, min: 1 },
      depends: somePackages,
      rdepends: somePackages,
    },
    denied: { '-o': 'run programs', '-c': 'read other settings' },
    deniedSubs: packageChanges,
  },
  'apt-get': {
    words: [...dryRun, '-V', '--verbose-versions'],
    shared: true,
    needs: [dryRun],
    sub: {
      upgrade: none,
      'dist-upgrade': none,
      autoremove: none,
      install: somePackages,
      remove: somePackages,
    },
    denied: { '-o': 'run programs', '-c': 'read other settings' },
  },
  'apt-cache': {
    sub: {
      policy: { rest: packageName },
      show: somePackages,
      madison: somePackages,
      showpkg: somePackages,
      stats: none,
      depends: somePackages,
      rdepends: somePackages,
      search: { words: ['-n', '--names-only'], rest: text, min: 1 },
    },
    denied: { '-o': 'run programs', '-c': 'read other settings' },
  },
  'apt-config': { sub: { dump: none } },
  'update-alternatives': { values: { '--list': word, '--display': word }, needs: [['--list', '--display']] },
  lsb_release: { flags: 'aidcrs' },
  'apt-mark': { sub: { showhold: none, showmanual: none, showauto: none } },
}

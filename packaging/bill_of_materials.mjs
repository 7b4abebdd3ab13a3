// What the binary of a build folder is made of, from the compiler's and dpkg's own data, and the library of the console.
//
//   bill_of_materials.mjs notices BUILD   licence of svc and of every package whose code is in the binary
//   bill_of_materials.mjs licenses BUILD  the common licences that these notices name, which a Debian system has
//   bill_of_materials.mjs spdx BUILD      the same as an SPDX 2.3 document (JSON); SOURCE_DATE_EPOCH is its date
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const run = (program, ...words) => execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 });

// Headers that were read for the binary, and archives that were linked into it. glibc is linked dynamically, and what
// belongs to the system's interface alone brings no code of its own.
function parts(build) {
  const headers = run('ninja', '-C', build, '-t', 'deps').split('\n\n')
    .filter((target) => target.startsWith('src/'))
    .flatMap((target) => target.split('\n').slice(1).map((line) => line.trim()));
  const link = run('ninja', '-C', build, '-t', 'commands', 'svc').trim().split('\n').pop();
  const archives = link.split(' ').filter((word) => word.startsWith('/') && word.endsWith('.a'));
  const compiler = link.split(' ').find((word) => /(\+\+|g\+\+-\d+|c\+\+)$/.test(word));
  const runtime = ['libstdc++.a', 'libgcc.a', 'libgcc_eh.a'].map((name) => run(compiler, `-print-file-name=${name}`).trim());
  const files = [...headers, ...archives, ...runtime].filter((file) => file.startsWith('/') && !file.startsWith(root));
  return [...new Set(files.filter((file) => existsSync(file)).map((file) => realpathSync(file)))];
}

// Their Debian packages, by name.
function packages(build) {
  const interfaces = new Set(['libc6-dev', 'linux-libc-dev', 'libcrypt-dev']);
  const owners = run('dpkg', '-S', ...parts(build)).trim().split('\n')
    .flatMap((line) => line.slice(0, line.lastIndexOf(': ')).split(', ').map((name) => name.replace(/:.*/, '')));
  const names = [...new Set(owners)].filter((name) => !interfaces.has(name)).sort();
  // One question for all: dpkg reads its whole database for each.
  const fields = '${Package}\\t${Version}\\t${source:Package}\\t${source:Version}\\t${Homepage}\\n';
  const told = new Map(run('dpkg-query', '-W', `-f=${fields}`, ...names).trimEnd().split('\n').map((line) => [line.split('\t')[0], line.split('\t')]));
  return names.map((each) => {
    const [name, version, source, sourceVersion, homepage] = told.get(each);
    return { name, version, source, sourceVersion, homepage };
  });
}

// Packages of npm whose code is in the binary as it stands: scripts/setup unpacks them. Their licence is named, as in
// Debian's notices, because Debian's policy wants no second copy of a common licence.
function unpacked() {
  const folder = resolve(root, 'src/sim/console/vendor');
  const { name, version, license } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
  const copyright = /^ *(Copyright \d.*)$/m.exec(readFileSync(resolve(folder, 'LICENSE'), 'utf8'))[1];
  const text = `${copyright}\n\nLicensed under ${license}. On Debian systems its text is in /usr/share/common-licenses/${license}.`;
  return [{ name, version, license, text }];
}

const copyrightOf = (name) => readFileSync(`/usr/share/doc/${name}/copyright`, 'utf8').trim();

// One text for packages of the same source.
function bySource(build) {
  const sources = new Map();
  for (const part of packages(build)) {
    const seen = sources.get(part.source);
    if (seen) seen.names.push(part.name);
    else sources.set(part.source, { ...part, names: [part.name], text: copyrightOf(part.name) });
  }
  return [...sources.values()];
}

function notices(build) {
  const ours = readFileSync(resolve(root, 'LICENSE'), 'utf8').trim();
  const others = bySource(build).map(({ source, sourceVersion, names, text }) =>
    `${'='.repeat(78)}\n${source} ${sourceVersion} (${names.join(', ')})\n${'='.repeat(78)}\n\n${text}`);
  const fromNpm = unpacked().map(({ name, version, text }) =>
    `${'='.repeat(78)}\n${name} ${version} (npm)\n${'='.repeat(78)}\n\n${text}`);
  return [`svc\n\n${ours}\n\nThe binary contains code of the packages below. Their notices follow, as Debian or they themselves give them.`,
    ...others, ...fromNpm]
    .join('\n\n') + '\n';
}

// Texts that Debian's notices name instead of repeating them.
function licenses(build) {
  const named = new Set(notices(build).match(/\/usr\/share\/common-licenses\/[A-Za-z0-9.+-]*[A-Za-z0-9]/g));
  return [...named].sort().filter((file) => existsSync(file))
    .map((file) => `${'='.repeat(78)}\n${file}\n${'='.repeat(78)}\n\n${readFileSync(file, 'utf8').trim()}`).join('\n\n') + '\n';
}

function spdx(build) {
  const version = /project\(svc VERSION (\S+)/.exec(readFileSync(resolve(root, 'CMakeLists.txt'), 'utf8'))[1];
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
  const id = (name) => `SPDXRef-${name.replace(/[^A-Za-z0-9.-]/g, '-')}`;
  const others = packages(build);
  return JSON.stringify({
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `svc-${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/svc-${version}-${sha256(resolve(build, 'svc'))}`,
    creationInfo: { created: new Date(seconds * 1000).toISOString().replace('.000', ''), creators: ['Organization: The svc authors'] },
    packages: [
      { SPDXID: id('svc'), name: 'svc', versionInfo: version, downloadLocation: 'NOASSERTION', filesAnalyzed: false,
        licenseConcluded: 'MIT', licenseDeclared: 'MIT', copyrightText: 'Copyright (c) 2026 The svc authors',
        primaryPackagePurpose: 'APPLICATION' },
      ...others.map((part) => ({
        SPDXID: id(part.name), name: part.name, versionInfo: part.version, supplier: 'Organization: Debian',
        downloadLocation: part.homepage || 'NOASSERTION', filesAnalyzed: false, licenseConcluded: 'NOASSERTION',
        licenseDeclared: 'NOASSERTION', copyrightText: 'NOASSERTION', sourceInfo: `built from ${part.source} ${part.sourceVersion}`,
        externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl',
          referenceLocator: `pkg:deb/debian/${part.name}@${encodeURIComponent(part.version)}` }] })),
      ...unpacked().map((part) => ({
        SPDXID: id(part.name), name: part.name, versionInfo: part.version, supplier: 'NOASSERTION',
        downloadLocation: `https://registry.npmjs.org/${part.name}/-/${part.name}-${part.version}.tgz`, filesAnalyzed: false,
        licenseConcluded: part.license, licenseDeclared: part.license, copyrightText: 'NOASSERTION',
        externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl',
          referenceLocator: `pkg:npm/${part.name}@${part.version}` }] })),
    ],
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: id('svc') },
      ...[...others, ...unpacked()].map((part) => ({ spdxElementId: id('svc'), relationshipType: 'CONTAINS', relatedSpdxElement: id(part.name) })),
    ],
  }, null, 2) + '\n';
}

const [what, build] = process.argv.slice(2);
const documents = { notices, licenses, spdx };
if (!documents[what] || !build) {
  process.stderr.write('usage: bill_of_materials.mjs notices|licenses|spdx BUILD\n');
  process.exit(2);
}
process.stdout.write(documents[what](resolve(build)));

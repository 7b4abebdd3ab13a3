// Random typed data, in two forms: the JSON document a wallet is handed, and the values that ethers and
// viem take.

const atoms = (random) => {
  const bits = () => 8 * (1 + random.below(32));
  return random.pick([
    'address', 'bool', 'bytes', 'string', 'string', 'uint256', 'uint64', 'uint8', 'int256', 'bytes32', 'bytes1',
    `uint${bits()}`, `int${bits()}`, `bytes${1 + random.below(32)}`,
  ]);
};

// A value as [in the document, for the libraries].
const atomicValue = (random, type) => {
  if (type === 'address') return twice(random.address());
  if (type === 'bool') return twice(random.chance(2));
  if (type === 'bytes') return twice(random.hex(random.pick([0, 1, 31, 32, 33, random.below(300)])));
  if (type === 'string') return twice(random.textOrNone());
  if (type.startsWith('bytes')) return twice(random.hex(Number(type.slice(5))));
  const signed = type.startsWith('int');
  const bits = Number(type.slice(signed ? 3 : 4));
  const value = signed ? random.int(bits) : random.uint(bits);
  const forms = [value.toString()];
  if (value >= 0n) forms.push('0x' + value.toString(16), '0X0' + value.toString(16).toUpperCase());
  if (value >= -(2n ** 53n) + 1n && value < 2n ** 53n) forms.push(Number(value));
  return [random.pick(forms), value];
};

const twice = (value) => [value, value];

const valueOf = (random, types, type) => {
  const array = /^(.*)\[(\d*)\]$/.exec(type);
  if (array) {
    const count = array[2] === '' ? random.below(4) : Number(array[2]);
    const items = Array.from({ length: count }, () => valueOf(random, types, array[1]));
    return [items.map(([document]) => document), items.map(([, library]) => library)];
  }
  if (!types[type]) return atomicValue(random, type);
  const document = {};
  const library = {};
  for (const member of types[type]) [document[member.name], library[member.name]] = valueOf(random, types, member.type);
  return [document, library];
};

// Struct 0 is the primary one; each refers only to later ones, and all can be reached from it.
const structTypes = (random) => {
  const names = ['Zed', 'alpha', 'Order', 'OrderItem', '_under', 'Person', 'B', 'A1'];
  names.sort(() => random.below(3) - 1);
  const count = 1 + random.below(4);
  const suffix = () => random.pick(['', '', '', '[]', '[2]', '[][]', '[0]', '[1][]', '[][3]']);
  const types = {};
  for (let i = 0; i < count; ++i) {
    const members = [];
    for (let m = random.below(5); m >= 0; --m) members.push({ name: `m${m}`, type: atoms(random) + suffix() });
    if (i + 1 < count) members.splice(random.below(members.length + 1), 0, { name: 'next', type: names[i + 1] + suffix() });
    if (i + 2 < count && random.chance(2)) members.push({ name: 'later', type: names[count - 1] + suffix() });
    types[names[i]] = members;
  }
  return [types, names[0]];
};

const domainMembers = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address', salt: 'bytes32' };

export const randomDocument = (random) => {
  const [types, primaryType] = structTypes(random);
  const domainType = Object.entries(domainMembers)
    .filter(() => !random.chance(3))
    .map(([name, type]) => ({ name, type }));
  const withDomain = { ...types, EIP712Domain: domainType };
  const [domain, domainValue] = valueOf(random, withDomain, 'EIP712Domain');
  const [message, messageValue] = valueOf(random, types, primaryType);
  return {
    document: { types: random.chance(2) ? types : withDomain, primaryType, domain, message },
    types,
    typesWithDomain: withDomain,
    primaryType,
    domain: domainValue,
    message: messageValue,
  };
};

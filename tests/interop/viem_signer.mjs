// A signer as a program: one question on standard input, one answer on standard output (docs/signers.md).
import { privateKeyToAccount } from 'viem/accounts';

const account = privateKeyToAccount(`0x${'5'.repeat(64)}`);
let text = '';
for await (const part of process.stdin) text += part;
const question = JSON.parse(text);

const signers = {
  address: async () => ({ address: account.address }),
  sign_message: async () => ({ signature: await account.signMessage({ message: question.message }) }),
  sign_typed_data: async () => ({ signature: await account.signTypedData(question.typed_data) }),
};
const sign = signers[question.method];
console.log(JSON.stringify(sign ? await sign() : { error: `no method ${question.method}` }));

#include "api/records/funds.h"

#include "api/describe.h"

namespace svc::api {

template const TypeInfo& type_of<DepositCollateralRequest>();
template const TypeInfo& type_of<BalanceResponse>();
template const TypeInfo& type_of<SubmitDepositRequest>();
template const TypeInfo& type_of<DepositReceipt>();
template const TypeInfo& type_of<DepositsRequest>();
template const TypeInfo& type_of<FundsEntry>();
template const TypeInfo& type_of<SubmitWithdrawalRequest>();
template const TypeInfo& type_of<Withdrawal>();
template const TypeInfo& type_of<WithdrawalsRequest>();
template const TypeInfo& type_of<FaucetClaim>();
template const TypeInfo& type_of<CreditRequest>();
template const TypeInfo& type_of<CreditResponse>();
template const TypeInfo& type_of<DepositTarget>();
template const TypeInfo& type_of<List<FundsEntry>>();
template const TypeInfo& type_of<List<Withdrawal>>();

}  // namespace svc::api

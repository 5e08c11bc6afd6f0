module shop

go 1.26.0

require temporal-payment-gateway/clients/go v0.0.0

replace temporal-payment-gateway/clients/go => ../../clients/go

# SPDX-License-Identifier: MIT
#
# What a package's Makefile includes. It sets, before the include:
#   name    the source is $(name).c, .S or .s
#   type    sync, sync-ae or ssyn
#   std     compiler options for the dialect, such as -std=c99
#   srcdir  the package's folder
#   root    the folder with test/ and scripts/
#
#   make                 check the package: API, vectors
#   make vectors         write unverified.test-vectors into the package's folder
#   make vectors conf=X  the same, built with the configuration reports-$HOSTNAME/configs/X.mk
#   make clean           remove unverified.test-vectors

assay := '$(root)/scripts/assay'
package := '$(srcdir)'
header := '$(srcdir)/ecrypt-$(type).h'

.PHONY: all build check run vectors name variants version clean mrproper

all build check:
	@$(assay) check $(package)

run:
	@$(assay) run $(package) --results '$(root)/reports-'"$${HOSTNAME:-$$(hostname)}"

vectors:
	@$(assay) vectors $(package) -o '$(srcdir)/unverified.test-vectors' $(if $(conf),--conf '$(conf)')

name:
	@echo '$(name)'

variants:
	@awk '/^#define[ \t]+ECRYPT_MAXVARIANT/ { for (v = 1; v <= $$3 + 0; ++v) print v }' $(header)

version:
	@$(assay) --version

clean mrproper:
	@rm -f '$(srcdir)/unverified.test-vectors'
